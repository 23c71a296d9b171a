// SPDX-License-Identifier: Apache-2.0
// JVMPI INSTRUCTION_START with what ifs and switches are about to do (statements 54, 148-150).
// @only pellucid
// @xrun pi_instructions
// @flags -XX:+EnableJVMPIInstructionStartEvent
// @quick
public class PiInstructions {
    static int branches(int n) {
        if (n > 100)
            return 1;
        switch (n) {
        case 1:
        case 2:
        case 3:
        case 4:
            n += 10;
        default:
            n++;
        }
        switch (n) {
        case 5:
            return 2;
        case 1000:
            return 3;
        default:
            return n;
        }
    }

    public static void main(String[] args) {
        System.out.println(branches(4));
        System.out.println(branches(2));
        System.out.println(branches(101));
    }
}
