// SPDX-License-Identifier: Apache-2.0
// A heap of which all is known: 1,000 entries of 10,000 bytes in a static list, 500 copies of a text, collections of known fill, an
// object that only a local variable holds, and one that is held weakly.
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

public class Leaky {
    static final class Entry {
        final byte[] payload = new byte[10_000];
        final int number;

        Entry(int number) {
            this.number = number;
        }
    }

    static final class Half extends ArrayList<Object> {
        Half() {
            super(20);
            for (int i = 0; i < 10; i++)
                add(this);
        }
    }

    static final class OnlyLocal {
        final long[] much = new long[1 << 19];
    }

    static final List<Entry> leaked = new ArrayList<>(1_000);
    static final List<Object> others = new ArrayList<>();
    static WeakReference<Object> weak;

    static void hold(Object held) throws Exception {
        OnlyLocal local = new OnlyLocal();
        System.out.println("ready");
        System.in.read();
        if (local.much[0] != 0 || held == null)
            System.out.println("never");
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 1_000; i++)
            leaked.add(new Entry(i));
        char[] text = {'c', 'o', 'p', 'i', 'e', 'd', ' ', 't', 'e', 'x', 't'};
        for (int i = 0; i < 500; i++)
            others.add(new String(text));
        for (int i = 0; i < 10; i++)
            others.add(new Half());
        HashMap<Object, Object> map = new HashMap<>(64);
        map.put("key", "value");
        others.add(map);
        Object held = new Object();
        weak = new WeakReference<>(held);
        hold(held);
    }
}
