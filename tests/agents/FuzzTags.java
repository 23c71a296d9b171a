// SPDX-License-Identifier: Apache-2.0
// As Fuzz, with the functions of tags and walks alone, in environments that come and go: no tag outlives its environment.
// @agent ti_fuzz
// @only pellucid
// @flags -Xmx96m -Xlog:disable -Dfuzz.seconds=10
// @timeout 120
// @alone
public class FuzzTags {
    public static void main(String[] args) throws Exception {
        Fuzz.tagsOnly();
        Fuzz.main(args);
    }
}
