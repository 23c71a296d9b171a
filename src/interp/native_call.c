// SPDX-License-Identifier: Apache-2.0
// Calls of native methods. Methods whose C signatures are alike (the same shape: code/native_stub.h) share a NativeCall, which is made
// at the first call of such a method and never freed. It has a generated stub; where there is none (no assembler for this processor,
// no room or no permission for code) libffi does the call.
#include "interp/native_call.h"

#include <ffi.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "class/vm_classes.h"
#include "code/native_stub.h"
#include "event/event.h"
#include "interp/interp.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "link/native.h"

typedef struct NativeCall {
    NativeStub *stub; // NULL: by what follows
    ffi_cif cif;
    ffi_type *types[];
} NativeCall;

void (*native_returned)(Thread *self);

static Mutex calls_lock = MUTEX_INIT(RANK_RESOLVE);
static StrMap calls; // shape -> NativeCall

// ---- shapes ----

static char shape_kind(char kind)
{
    return kind_is_reference(kind) ? 'L' : kind;
}

static void put_shape(StrBuf *out, const Method *m)
{
    sb_add(out, method_is_static(m) ? "static(" : "(");
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    while (descriptor_walk_next(&w))
        sb_putc(out, shape_kind(w.kind));
    sb_putc(out, ')');
    sb_putc(out, shape_kind(m->ret));
}

static ffi_type *ffi_type_of(char kind)
{
    switch (kind) {
    case 'Z': return &ffi_type_uint8;
    case 'B': return &ffi_type_sint8;
    case 'C': return &ffi_type_uint16;
    case 'S': return &ffi_type_sint16;
    case 'I': return &ffi_type_sint32;
    case 'J': return &ffi_type_sint64;
    case 'F': return &ffi_type_float;
    case 'D': return &ffi_type_double;
    case 'V': return &ffi_type_void;
    default: return &ffi_type_pointer;
    }
}

static NativeCall *call_for_ffi(const Method *m)
{
    NativeCall *call = vm_calloc(1, sizeof *call + (2u + m->param_count) * sizeof(ffi_type *));
    unsigned n = 0;
    call->types[n++] = &ffi_type_pointer; // JNIEnv *
    call->types[n++] = &ffi_type_pointer; // class or receiver
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    while (descriptor_walk_next(&w))
        call->types[n++] = ffi_type_of(w.kind);
    if (ffi_prep_cif(&call->cif, FFI_DEFAULT_ABI, n, ffi_type_of(m->ret), call->types)
        != FFI_OK)
        vm_fatal("libffi refuses %s%s", m->name->s, m->desc->s);
    return call;
}

// *made: the code, if it was made now.
static NativeCall *find_or_make(const Method *m, const char *shape, const CodeBlob **made)
{
    ASSERT_HELD(&calls_lock);
    NativeCall *call = strmap_get(&calls, shape);
    if (call)
        return call;
    *made = native_stub_make(shape, native_returned);
    if (*made) {
        call = vm_calloc(1, sizeof *call);
        call->stub = (NativeStub *)(uintptr_t)(*made)->start;
    } else {
        call = call_for_ffi(m);
    }
    strmap_put(&calls, shape, call);
    return call;
}

static COLD MAY_GC const NativeCall *make_call(Thread *self, Method *m)
{
    const CodeBlob *made = NULL;
    StrBuf shape = {0};
    attempt_pause();
    put_shape(&shape, m);
    mutex_lock(&calls_lock);
    NativeCall *call = find_or_make(m, shape.s, &made);
    mutex_unlock(&calls_lock);
    sb_free(&shape);
    attempt_resume();
    atomic_store_explicit(&m->native_call, call, memory_order_release); // native_run
    if (made)
        event_post(self, DYNAMIC_CODE, made->name, made->start, (int32_t)made->size, NULL);
    return call;
}

// ---- results ----

// The value that the ABI left in rax or xmm0, by kind; references raw.
static Slot native_result(char kind, uint64_t r)
{
    Slot s = {.raw = r};
    switch (kind) {
    case 'Z': s.l = (uint8_t)r != 0; break;
    case 'B': s.l = (int8_t)r; break;
    case 'C': s.l = (uint16_t)r; break;
    case 'S': s.l = (int16_t)r; break;
    case 'I': s.l = (int32_t)r; break;
    case 'L':
    case '[': s.ref = deref((jobject)(uintptr_t)r); break;
    default: break;
    }
    return s;
}

// ---- by libffi ----

static MAY_GC uint64_t call_by_ffi(Thread *self, const Frame *f, const NativeCall *call,
                                   void *fn, jobject cls)
{
    const Method *m = f->method;
    char kind = m->ret; // what the method returns as long as it is called
    void *values[2 + m->param_count];
    jobject handles[1 + m->param_count];
    JNIEnv *env = (JNIEnv *)&self->jni;
    unsigned n = 0, h = 0;
    values[n++] = &env;
    handles[h] = cls ? cls : (jobject)f->locals;
    values[n++] = &handles[h++];
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !cls);
    while (descriptor_walk_next(&w)) {
        Slot *local = &f->locals[w.slot];
        if (kind_is_reference(w.kind)) {
            handles[h] = local->ref ? (jobject)local : NULL;
            values[n++] = &handles[h++];
        } else {
            values[n++] = local;
        }
    }
    uint64_t r = 0;
    thread_leave_vm(self, THREAD_IN_NATIVE);
    ffi_call((ffi_cif *)(uintptr_t)&call->cif, FFI_FN(fn), &r, values);
    if (UNLIKELY(native_returned))
        native_returned(self);
    thread_enter_vm(self);
    return native_result(kind, r).raw;
}

// ---- any ----

// Back from the C function: its local frames are gone, and what Thread.stop throws comes out of it.
ALWAYS_INLINE MAY_GC void serve(Thread *self, size_t jni_frames)
{
    self->jni_frames.len = jni_frames;
    if (thread_poll_wanted(self) && thread_async_is_due(self))
        thread_poll(self);
}

// `fn` and `call` are the method's.
ALWAYS_INLINE MAY_GC Slot call_out(Thread *self, const Frame *f, const NativeCall *call,
                                   void *fn)
{
    const Method *m = f->method;
    jobject cls = method_is_static(m) ? mirror_handle(self, m->cls) : NULL;
    size_t jni_frames = self->jni_frames.len;
    Slot result = {.raw = LIKELY(call->stub) ? call->stub(self, f->locals, fn, cls)
                                             : call_by_ffi(self, f, call, fn, cls)};
    serve(self, jni_frames);
    return result;
}

// Links the method where that was not done, and calls it. False with the exception pending.
static MAY_GC bool link_and_call(Thread *self, const Frame *f, Slot *result)
{
    Method *m = f->method;
    void *fn = native_link(self, m);
    if (!fn)
        return false;
    const NativeCall *call = atomic_load_explicit(&m->native_call, memory_order_acquire);
    *result = call_out(self, f, call ? call : make_call(self, m), fn);
    return !exception_pending(self);
}

// The end of a native method: `ok` is false with the exception pending.
static NOINLINE MAY_GC bool leave(Thread *self, Frame *f, bool ok, Slot result)
{
    const Method *m = f->method;
    if (!ok)
        unwind_native_exception(self, f);
    if (f->flags & (FRAME_MONITORS | FRAME_NOTIFY_POP) || calls_post(self, EVENT_METHOD_EXIT)) {
        jvalue v = slot_to_jvalue(self, result, ok ? m->ret : 'V');
        frame_leave(self, !ok, v);
        if (ok && kind_is_reference(m->ret))
            result.ref = deref(v.l);
    }
    handle_pop(self, f->handles);
    f->locals[0] = result;
    return ok && !exception_pending(self);
}

ALWAYS_INLINE MAY_GC bool finish(Thread *self, Frame *f, Slot result)
{
    if (UNLIKELY(exception_pending(self) || f->flags & (FRAME_MONITORS | FRAME_NOTIFY_POP))
        || calls_post(self, EVENT_METHOD_EXIT))
        return leave(self, f, !exception_pending(self), result);
    handle_pop(self, f->handles);
    f->locals[0] = result;
    return true;
}

static NOINLINE MAY_GC bool run_with_all(Thread *self, Frame *f)
{
    Slot result = {0};
    bool ok = !(f->method->access & ACC_SYNCHRONIZED) || frame_lock(self, f);
    call_entry_post(self, f->method);
    ok = ok && !exception_pending(self) && link_and_call(self, f, &result);
    return leave(self, f, ok, result);
}

bool native_run(Thread *self, Frame *f)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f == self->frame && f->flags & FRAME_NATIVE && !exception_pending(self));
    const Method *m = f->method;
    f->handles = handle_mark(self);
    void *fn = atomic_load_explicit(&m->native, memory_order_acquire);
    const NativeCall *call =
        atomic_load_explicit(&m->native_call, memory_order_acquire); // make_call
    if (UNLIKELY(!fn || !call || m->access & ACC_SYNCHRONIZED)
        || calls_post(self, EVENT_METHOD_ENTRY))
        return run_with_all(self, f);
    return finish(self, f, call_out(self, f, call, fn));
}

bool native_finish(Thread *self, Frame *f, uint64_t raw, size_t jni_frames)
{
    VM_ASSERT(f == self->frame && f->flags & FRAME_NATIVE);
    if (atomic_load(&self->poll) & (POLL_SAFEPOINT | POLL_SUSPEND))
        thread_wait_to_enter(self);
    Slot result = native_result(f->method->ret, raw);
    serve(self, jni_frames);
    return finish(self, f, result);
}
