// SPDX-License-Identifier: Apache-2.0
// jdk.incubator.vector: lanes, masks, shuffles, reductions, conversions, memory.
// @javac --add-modules jdk.incubator.vector
// @flags --add-modules jdk.incubator.vector
import java.nio.*;
import java.util.*;
import jdk.incubator.vector.*;

public class Vectors {
    static void ints() {
        VectorSpecies<Integer> sp = IntVector.SPECIES_128;
        int[] a = {1, -2, 3, 40, 5, 6, -7, 8, 9}, b = {10, 20, 30, 3, 50, 60, 70, 80, 90};
        IntVector x = IntVector.fromArray(sp, a, 0), y = IntVector.fromArray(sp, b, 0);
        System.out.println(sp + " " + x + " " + x.add(y) + " " + x.mul(y) + " " + x.min(y) + " " + x.lanewise(VectorOperators.XOR, y) + " " + x.abs().neg());
        System.out.println(x.lanewise(VectorOperators.ASHR, 1) + " " + x.lanewise(VectorOperators.LSHR, 1) + " " + x.lanewise(VectorOperators.LSHL, y));
        VectorMask<Integer> m = x.lt(y);
        System.out.println(m + " " + m.trueCount() + " " + m.firstTrue() + " " + m.toLong() + " " + m.not() + " " + x.blend(y, m) + " " + x.add(y, m));
        System.out.println(x.reduceLanes(VectorOperators.ADD) + " " + x.reduceLanes(VectorOperators.MAX) + " " + x.reduceLanes(VectorOperators.AND, m));
        VectorShuffle<Integer> s = VectorShuffle.fromValues(sp, 3, 2, 1, 0);
        System.out.println(x.rearrange(s) + " " + x.rearrange(s, y) + " " + x.slice(1, y) + " " + x.unslice(2) + " " + x.withLane(2, 99) + " " + x.lane(1));
        System.out.println(x.convert(VectorOperators.I2F, 0) + " " + x.convertShape(VectorOperators.I2D, DoubleVector.SPECIES_256, 0) + " " + x.reinterpretAsBytes());
        VectorMask<Integer> tail = sp.indexInRange(8, 9);
        IntVector t = IntVector.fromArray(sp, a, 8, tail);
        System.out.println(tail + " " + t);
        t.mul(2).intoArray(b, 8, tail);
        System.out.println(Arrays.toString(b));
        try {
            IntVector.fromArray(sp, a, 7);
        } catch (IndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        try {
            x.div(x.sub(x));
        } catch (ArithmeticException e) {
            System.out.println(e.getMessage());
        }
    }
    static void floats() {
        VectorSpecies<Float> sp = FloatVector.SPECIES_256;
        float[] a = new float[20], b = new float[20], c = new float[20];
        for (int i = 0; i < 20; i++) {
            a[i] = i * 0.5f;
            b[i] = 10 - i;
        }
        int i = 0;
        for (; i < sp.loopBound(a.length); i += sp.length()) {
            FloatVector x = FloatVector.fromArray(sp, a, i), y = FloatVector.fromArray(sp, b, i);
            x.fma(y, x.mul(x)).sqrt().intoArray(c, i);
        }
        VectorMask<Float> m = sp.indexInRange(i, a.length);
        FloatVector.fromArray(sp, a, i, m).lanewise(VectorOperators.NEG).intoArray(c, i, m);
        System.out.println(Arrays.toString(c));
        FloatVector v = FloatVector.broadcast(sp, 1.5f).addIndex(2);
        System.out.println(v + " " + v.test(VectorOperators.IS_FINITE) + " " + v.lanewise(VectorOperators.SIN).lane(0) + " " + v.pow(2f).toString());
    }
    static void others() {
        ByteVector b = ByteVector.fromArray(ByteVector.SPECIES_64, new byte[] {1, 2, 3, 4, 5, 6, 7, -8}, 0);
        System.out.println(b.add((byte) 127) + " " + b.reduceLanes(VectorOperators.ADD) + " " + b.castShape(ShortVector.SPECIES_128, 0));
        LongVector l = LongVector.zero(LongVector.SPECIES_512).addIndex(3);
        System.out.println(l.mul(l) + " " + l.lanewise(VectorOperators.ROL, 60) + " " + l.compare(VectorOperators.GE, 9));
        ByteBuffer buffer = ByteBuffer.allocateDirect(64).order(ByteOrder.BIG_ENDIAN);
        ShortVector s = ShortVector.fromArray(ShortVector.SPECIES_128, new short[] {1, 2, 3, 4, 5, 6, 7, 8}, 0);
        s.intoByteBuffer(buffer, 4, ByteOrder.BIG_ENDIAN);
        System.out.println(buffer.getShort(6) + " " + ShortVector.fromByteBuffer(ShortVector.SPECIES_128, buffer, 5, ByteOrder.LITTLE_ENDIAN));
        int[] gathered = {7, 0, 3, 1}, from = {100, 101, 102, 103, 104, 105, 106, 107};
        System.out.println(IntVector.fromArray(IntVector.SPECIES_128, from, 0, gathered, 0));
        DoubleVector d = DoubleVector.fromArray(DoubleVector.SPECIES_128, new double[] {-0.0, Double.NaN}, 0);
        System.out.println(d.eq(0) + " " + d.max(0) + " " + d.reduceLanes(VectorOperators.ADD) + " " + d.viewAsIntegralLanes());
    }

    public static void main(String[] args) {
        ints();
        floats();
        others();
    }
}
