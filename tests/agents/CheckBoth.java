// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jni with -Xcheck:jvmti: both look at JNI by one table; the latter's callbacks still forbid it.
// @agent ti_check
// @only pellucid
// @flags -Xcheck:jni -Xcheck:jvmti
// @expect-exit -6
// @mask \+0x[0-9a-f]+
// @mask (?m)(^            .*\n)+
// @mask (?s)# Pellucid .*
public class CheckBoth {
    public static void main(String[] args) {
        Check.collectWithJni();
    }
}
