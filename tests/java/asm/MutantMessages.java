// SPDX-License-Identifier: Apache-2.0
// What a VM says of damaged class files, word for word: class and message of the error, or that there is none.
// Arguments: mutants of each seed (default 40), seed of the random numbers (default 1), and a folder of more classes.
// @timeout 120
// @quick
// @mask (?<=' )@[0-9a-f]+
// @jdk 17.0.19
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

public class MutantMessages {
    static final Map<String, byte[]> goodCopies = new HashMap<>();

    /** Has the mutant and good copies of the other seeds. */
    static class Loader extends ClassLoader {
        Loader() {
            super("mutants", MutantMessages.class.getClassLoader());
        }

        Class<?> define(byte[] b) {
            return defineClass(null, b, 0, b.length);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("MutantSeeds$") || findLoadedClass(name) != null) {
                return super.loadClass(name, resolve);
            }
            byte[] b = goodCopies.computeIfAbsent(name, MutantSeeds::read);
            if (b == null) {
                throw new ClassNotFoundException(name);
            }
            return define(b);
        }
    }

    static String verdict(byte[] b) {
        try {
            new Loader().define(b).getDeclaredMethods(); // links, so verifies, and runs nothing
            return "ok";
        } catch (LinkageError | TypeNotPresentException | SecurityException e) {
            return e.getClass().getName() + ": " + e.getMessage();
        }
    }

    static void damage(String name, byte[] good, int times, long seed) {
        System.out.println(name + " whole: " + verdict(good));
        for (int i = 0; i < times; i++) {
            Random random = new Random(seed * 1000003 + name.hashCode() * 31L + i);
            random.nextInt();
            Mutator m = new Mutator(good, random);
            String done = m.damage();
            System.out.println(name + " " + i + " " + done + ": " + verdict(m.bytes()));
        }
    }

    public static void main(String[] args) throws IOException {
        int times = args.length > 0 ? Integer.parseInt(args[0]) : 40;
        long seed = args.length > 1 ? Long.parseLong(args[1]) : 1;
        Map<String, byte[]> seeds = MutantSeeds.all();
        if (args.length > 2) {
            try (Stream<Path> files = Files.walk(Path.of(args[2]))) {
                for (Path p : (Iterable<Path>) files.filter(f -> f.toString().endsWith(".class")).sorted()::iterator) {
                    seeds.put(p.getFileName().toString(), Files.readAllBytes(p));
                }
            }
        }
        for (Map.Entry<String, byte[]> s : seeds.entrySet()) {
            damage(s.getKey(), s.getValue(), times, seed);
        }
    }
}
