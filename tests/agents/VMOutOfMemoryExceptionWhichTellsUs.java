// SPDX-License-Identifier: Apache-2.0
// For RedefineReads: JDI's VMOutOfMemoryException, with a call of a class that is in no module. The names are of one length.
public class VMOutOfMemoryExceptionWhichTellsUs extends RuntimeException {
    private static final long serialVersionUID = 71504228548910686L;

    public VMOutOfMemoryExceptionWhichTellsUs() {
        RedefineReads.called();
    }

    public VMOutOfMemoryExceptionWhichTellsUs(String s) {
        super(s);
    }
}
