// SPDX-License-Identifier: Apache-2.0
// javac beside three threads that compute all the time, and have to be stopped, too, whenever the world is. The arguments are javac's.
public class Busy {
    private static final int THREADS = 3;
    private static volatile long seen;

    private static void compute() {
        long x = 1;
        while (true) {
            for (int i = 0; i < 1_000_000; i++)
                x = x * 6364136223846793005L + 1442695040888963407L;
            seen = x;
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(Busy::compute, "busy-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        System.exit(com.sun.tools.javac.Main.compile(args));
    }
}
