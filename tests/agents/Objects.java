// SPDX-License-Identifier: Apache-2.0
// Tags that move with their objects and are told of when those die, sizes, hashes, the heap walk; monitors, who owns
// and who waits for them, and their events.
// @agent ti_objects
// @quick
import java.util.ArrayList;
import java.util.List;

public class Objects {
    static native void telling(boolean value);

    static native void tag(Object o, long tag);

    static native long tagOf(Object o);

    static native long sizeOf(Object o);

    static native int hashOf(Object o);

    static native void find(long one, long two);

    static native void collect(int expected);

    static native void walk(Class<?> item, Class<?> array);

    static native void usage(Object o);

    static native boolean isAwaited(Object o);

    static native void ownedClasses(Thread t);

    static native void ownedInOrder(Object through); // whose monitor is entered through JNI meanwhile

    static native void owned(Thread t);

    static class Item {
        int number;
        Object ref;
    }

    static class Door {
        synchronized void pass() { }
    }

    static synchronized void pass(Object o) { }

    static class Copy implements Cloneable {
        @Override
        public Copy clone() throws CloneNotSupportedException {
            return (Copy) super.clone();
        }
    }

    static List<Item> keep = new ArrayList<>();

    static void drop() {
        for (int i = 0; i < 10; i++)
            tag(new Item(), 100 + i);
    }

    static void tags() {
        for (int i = 0; i < 5; i++) {
            Item item = new Item();
            item.number = i;
            keep.add(item);
            tag(item, i + 1);
        }
        drop();
        collect(10);
        for (Item item : keep)
            System.out.print(tagOf(item) + (hashOf(item) == System.identityHashCode(item) ? " " : " wrong hash "));
        System.out.println();
        find(2, 4);
        tag(keep.get(1), 0);
        find(2, 4);
        keep.remove(0);
        collect(1);
        System.out.println("untagged " + tagOf("some text"));
    }

    static void sizes() {
        Object[] all = {new Object(), new Item(), new int[0], new int[3], new long[3], new byte[13], new Object[5], new char[4]};
        for (Object o : all)
            System.out.print(sizeOf(o) + " ");
        System.out.println();
    }

    // A thread that comes to wait for the monitor of o.
    static Thread start(String name, Runnable body, Thread.State state, Object o) throws Exception {
        Thread t = new Thread(body, name);
        t.start();
        while (t.getState() != state || !isAwaited(o))
            Thread.sleep(1);
        return t;
    }

    static synchronized void nested(Object a, Object b) {
        synchronized (a) {
            synchronized (b) {
                synchronized (a) {
                    owned(Thread.currentThread());
                    ownedClasses(Thread.currentThread());
                }
            }
        }
    }

    static void inOrder(Object a, Object through) {
        synchronized (a) {
            ownedInOrder(through);
        }
    }

    static void hold(Object o) {
        synchronized (o) {
            System.out.println("held by " + Thread.currentThread().getName());
        }
    }

    static void await(Object o) {
        synchronized (o) {
            try {
                o.wait();
            } catch (InterruptedException e) {
                System.out.println("interrupted");
            }
        }
    }

    static void monitors() throws Exception {
        Door door = new Door();
        usage(door);
        telling(true);
        Thread t;
        synchronized (door) {
            synchronized (door) {
                usage(door);
            }
            t = start("second", () -> hold(door), Thread.State.BLOCKED, door);
            usage(door);
            owned(t);
        }
        t.join();
        synchronized (door) {
            t = start("third", door::pass, Thread.State.BLOCKED, door);
        }
        t.join();
        synchronized (Objects.class) {
            t = start("fourth", () -> pass(door), Thread.State.BLOCKED, Objects.class);
        }
        t.join();
        t = start("awaiting", () -> await(door), Thread.State.WAITING, door);
        usage(door);
        owned(t);
        synchronized (door) {
            door.notify();
        }
        t.join();
        synchronized (door) {
            door.wait(10);
        }
        nested(door, new Item());
        usage(door);
        synchronized (door) {
            inOrder(new Copy(), new Item());
        }
        telling(false);
    }

    public static void main(String[] args) throws Exception {
        tags();
        sizes();
        Item[] array = {keep.get(0), keep.get(1), null};
        int[] numbers = {1, 2, 30};
        String text = new String("tagged text");
        tag(array, 7);
        tag(numbers, 50);
        tag(text, 51);
        collect(0);
        walk(Item.class, Item[].class);
        System.out.println("array now " + tagOf(array) + " and " + numbers.length + text.length());
        monitors();
        telling(true);
        new Copy().clone();
        Item.class.getDeclaredConstructor().newInstance();
        java.lang.reflect.Array.newInstance(Item.class, 3);
        telling(false);
    }
}
