// SPDX-License-Identifier: Apache-2.0
// An exception of StopThread that comes before or while a JVM TI function runs code of the class library is not
// thrown there: the function does its work, and the exception comes once it has returned to the program.
// @agent ti_stop_upcall
// HotSpot throws it in the middle of the function, which then fails.
// @only pellucid
// @quick
public class StopInUpcall {
    static native void stopAndCall(int kind, Throwable with, Module module, Module other);

    static int call(int kind) {
        Module base = Object.class.getModule(), own = StopInUpcall.class.getModule();
        stopAndCall(kind, new IllegalStateException("stopped " + kind), base, own);
        int sum = 0;
        for (int i = 0; i < 1000; i++)
            sum += i;
        return sum;
    }

    public static void main(String[] args) {
        for (int kind = 0; kind < 7; kind++) {
            String thrown = "nothing";
            try {
                call(kind);
            } catch (IllegalStateException e) {
                thrown = e.getMessage();
            }
            System.out.println(kind + " thrown: " + thrown + (Thread.interrupted() ? ", interrupted" : ""));
        }
        System.out.println(Object.class.getModule().canRead(StopInUpcall.class.getModule()));
    }
}
