// SPDX-License-Identifier: Apache-2.0
// Allocates about 20 GB in all under a 64 MB heap; what stays live is checked. Resident memory must stay under 150 MB.
// @flags -Xmx64m
// @timeout 180
public class Alloc20G {
    static final class Node {
        Node next;
        long v;
        byte[] pad;
    }

    public static void main(String[] args) throws Exception {
        long want = (args.length > 0 ? Long.parseLong(args[0]) : 20) << 30;
        long done = 0;
        Object[] keep = new Object[512];
        Node list = null;
        int n = 0;
        int len = 0;
        while (done < want) {
            int size = (n % 17 == 0) ? 200000 : (n & 1023) * 32;
            byte[] b = new byte[size];
            if (size > 0) {
                b[size - 1] = (byte) n;
            }
            keep[n % (n % 17 == 0 ? 16 : 512)] = n % 17 == 0 || size < 8192 ? b : new int[8];
            done += size + 16;
            Node x = new Node();
            x.v = n;
            x.next = list;
            list = x;
            if (++len == 1000) {
                long s = 0;
                for (Node q = list; q != null; q = q.next) {
                    s += q.v;
                }
                long hi = n;
                long lo = n - 999;
                if (s != (hi + lo) * 500) {
                    throw new Error("lost: " + s + " at " + n);
                }
                list = null;
                len = 0;
            }
            n++;
        }
        for (String l : java.nio.file.Files.readAllLines(java.nio.file.Path.of("/proc/self/status"))) {
            if (l.startsWith("VmHWM:")) {
                long kb = Long.parseLong(l.replaceAll("\\D", ""));
                System.out.println(kb < 150 << 10 ? "rss ok" : "rss too big: " + kb);
            }
        }
        System.out.println("done " + n);
    }
}
