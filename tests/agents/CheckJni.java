// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti: JNI in the callback of a collection cannot be done; the report is the last thing.
// @agent ti_check
// @only pellucid
// @flags -Xcheck:jvmti
// @expect-exit -6
// @mask \+0x[0-9a-f]+
// @mask (?m)(^            .*\n)+
// @mask (?s)# Pellucid .*
public class CheckJni {
    public static void main(String[] args) {
        Check.collectWithJni();
    }
}
