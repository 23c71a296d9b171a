// SPDX-License-Identifier: Apache-2.0
// -XX:CompressedClassSpaceSize: likewise.
// @flags -XX:CompressedClassSpaceSize=3m
public class ClassSpaceLimit {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            System.out.println(Dropped.fill());
        }
    }
}
