// SPDX-License-Identifier: Apache-2.0
// As AllocsWithin, by Constructor.newInstance and by the box of Method.invoke's result. HotSpot posts these two within the handler, so
// that a handler that reflects calls itself until the stack overflows.
// @agent ti_allocs_within
// @only pellucid
// @quick
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;

public class AllocsWithinReflection {
    static int number() {
        return 1000;
    }

    public static void main(String[] args) throws Exception {
        Constructor<AllocsWithin> constructor = AllocsWithin.class.getDeclaredConstructor();
        Method number = AllocsWithinReflection.class.getDeclaredMethod("number");
        AllocsWithin.told("a new instance", constructor::newInstance, false);
        AllocsWithin.told("a boxed result", () -> number.invoke(null), false);
    }
}
