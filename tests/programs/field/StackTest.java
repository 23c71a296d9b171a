// SPDX-License-Identifier: Apache-2.0
// Some tests for JUnit's console, one that fails and one that is skipped among them.
import static org.junit.jupiter.api.Assertions.*;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.*;

class StackTest {
    Deque<Integer> stack;

    @BeforeEach
    void fill() {
        stack = new ArrayDeque<>(List.of(1, 2, 3));
    }

    @Test
    @DisplayName("pops in order")
    void pops() {
        assertAll(() -> assertEquals(1, stack.pop()), () -> assertEquals(2, stack.pop()));
    }

    @Test
    void fails() {
        assertEquals(4, stack.size(), "size");
    }

    @Test
    void throwsWhenEmpty() {
        stack.clear();
        assertThrows(NoSuchElementException.class, stack::pop);
    }

    @Disabled("not today")
    @Test
    void skipped() { }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void contains(int n) {
        assertTrue(stack.contains(n));
    }

    @ParameterizedTest
    @CsvSource({"1, a", "2, b"})
    void pairs(int n, String s) {
        assertEquals(n, s.charAt(0) - 'a' + 1);
    }

    @Nested
    class WhenEmpty {
        @Test
        void isEmpty() {
            stack.clear();
            assertTrue(stack.isEmpty());
        }
    }

    @TestFactory
    List<DynamicTest> made() {
        return List.of(DynamicTest.dynamicTest("made", () -> assertNotNull(stack)));
    }
}
