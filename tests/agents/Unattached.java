// SPDX-License-Identifier: Apache-2.0
// What a thread of an agent may call that is not attached to the VM (statements C11, C17).
// @agent ti_unattached
public class Unattached {
    static native void errors();

    public static void main(String[] args) {
        errors();
    }
}
