// SPDX-License-Identifier: Apache-2.0
// For tests/agents/TagsAsked.java: what GetObjectsWithTags gives for each list of tags, and while another thread tags.
#include "ti_common.h"

enum { ONE = 5, OTHER = 6, ABSENT = 9, TAKEN = 1 << 20 };

static jvmtiEnv *ti;

static void ask(const char *what, jint tag_count, const jlong *tags)
{
    jint count = -7;
    jobject *objects = (jobject *)&count;
    jlong *found = (jlong *)&count;
    jvmtiError error = (*ti)->GetObjectsWithTags(ti, tag_count, tags, &count, &objects, &found);
    if (error == JVMTI_ERROR_NONE)
        say("%s: %d objects%s%s", what, (int)count, objects ? "" : ", no array",
            found ? "" : ", no tags");
    else
        say("%s: error %d, %s", what, (int)error,
            count == -7 && objects == (jobject *)&count && found == (jlong *)&count
                ? "nothing written"
                : "results written");
    if (error != JVMTI_ERROR_NONE)
        return;
    release(ti, objects);
    release(ti, found);
}

EXPORT(void, Java_TagsAsked_lists, JNIEnv *jni, jclass c, jobject one, jobject other)
{
    (void)jni, (void)c;
    const jlong tags[] = {ONE, OTHER, ABSENT};
    ask("nothing is tagged", 3, tags);
    MUST((*ti)->SetTag(ti, one, ONE));
    MUST((*ti)->SetTag(ti, other, OTHER));
    ask("one", 1, tags);
    ask("both", 2, tags);
    ask("one that no object has", 1, tags + 2);
    ask("an empty list", 0, tags);
    ask("no list", 0, NULL);
    ask("fewer than none", -1, tags);
    ask("fewer than none, no list", -1, NULL);
    ask("no list of one", 1, NULL);
}

EXPORT(void, Java_TagsAsked_tag, JNIEnv *jni, jclass c, jobject o)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, o, TAKEN));
    MUST((*ti)->SetTag(ti, o, 0));
}

// How many objects that were found are none.
EXPORT(jint, Java_TagsAsked_missing, JNIEnv *jni, jclass c)
{
    (void)c;
    const jlong tag = TAKEN;
    jint count, missing = 0;
    jobject *objects;
    MUST((*ti)->GetObjectsWithTags(ti, 1, &tag, &count, &objects, NULL));
    for (jint i = 0; i < count; i++) {
        missing += objects[i] == NULL || (*jni)->IsSameObject(jni, objects[i], NULL);
        (*jni)->DeleteLocalRef(jni, objects[i]);
    }
    release(ti, objects);
    return missing;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
