// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti:limit=2: further findings are only counted.
// @agent ti_check
// @only pellucid
// @flags -Xcheck:jvmti:limit=2
// @mask \+0x[0-9a-f]+
// @mask (?m)(^            .*\n)+
public class CheckLimit {
    public static void main(String[] args) {
        Check.calls();
    }
}
