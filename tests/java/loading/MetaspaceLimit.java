// SPDX-License-Identifier: Apache-2.0
// -XX:MaxMetaspaceSize: OutOfMemoryError when classes that live fill it; room again when they died.
// @flags -XX:MaxMetaspaceSize=24m
public class MetaspaceLimit {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 3; i++) {
            System.out.println(Dropped.fill());
        }
    }
}
