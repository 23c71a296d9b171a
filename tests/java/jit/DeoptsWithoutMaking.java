// SPDX-License-Identifier: Apache-2.0
// A synchronized method that exceptions leave, with an object that its code has not made: each time its frame is deoptimized, and the object
// made, in a loop that allocates nothing else. The heap is collected meanwhile.
// @quick
// @flags -Xmx16m
public class DeoptsWithoutMaking {
    static final RuntimeException EXCEPTION = new RuntimeException();
    static boolean throwing;
    int value;

    static void leave() {
        if (throwing)
            throw EXCEPTION;
    }

    static synchronized int call(int i) {
        DeoptsWithoutMaking made = new DeoptsWithoutMaking();
        made.value = i;
        leave();
        return made.value;
    }

    static int caught(int calls) {
        int caught = 0;
        for (int i = 0; i < calls; i++) {
            try {
                call(i);
            } catch (RuntimeException e) {
                caught++;
            }
        }
        return caught;
    }

    public static void main(String[] args) {
        System.out.println(caught(200_000));
        throwing = true;
        System.out.println(caught(2_000_000));
    }
}
