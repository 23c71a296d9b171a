// SPDX-License-Identifier: Apache-2.0
// What the Lens agent and its front program say to each other, and what a recording (*.lens) holds: the one definition of both.
//
// Numbers. `u` is an unsigned LEB128 varint of at most 64 bits, `z` a signed one (zigzag, then `u`), `s` a string: `u` bytes, then
// UTF-8 without NUL (what is not UTF-8 in a name becomes U+FFFD). Times are nanoseconds of CLOCK_MONOTONIC; `dt` is `z`: the time less
// the `time` of its block. Ids are of the agent, count from 1 for each kind, and are never used again; 0 means none.
//
// Blocks. The unit on the socket and in the file: LensBlock, then `length` bytes of payload. A reader skips types that it does not
// know, and refuses a length above LENS_MAX_PAYLOAD, a wrong CRC and a varint that does not end. A payload is a sequence of records
// that ends with it. Each block decodes by itself but for ids: what a record names was defined before, on the same connection.
//
// Socket. The agent listens at LENS_SOCKET_FORMAT (uid and pid as the target sees them, pid's start time in clock ticks from
// /proc/self/stat field 22), folder 0700, socket 0600, and looks at the peer's credentials (its own user, or root). Several fronts may
// be connected; each has definitions of its own, and its orders end with it. The front sends LENS_PING each 2 s; after 10 s of
// silence the agent closes. A file begins with LENS_FILE_MAGIC (8 bytes), then HELLO and all other blocks; a whole file ends with a
// LENS_INDEX block, after BYE where the program ended in order. Without them all blocks that are whole are used.
#ifndef LENS_WIRE_H
#define LENS_WIRE_H

#include <stdint.h>

#define LENS_VERSION    1
#define LENS_FILE_MAGIC "LENSREC1"
#define LENS_MAGIC \
    0x534e454cu // "LENS", first in each block, so that a reader finds its place again in a damaged file
#define LENS_MAX_PAYLOAD          (1u << 20)
#define LENS_SOCKET_FOLDER_FORMAT "/tmp/.lens-%u"              // uid
#define LENS_SOCKET_FORMAT        "/tmp/.lens-%u/%d-%llu.sock" // uid, pid, start time

typedef struct LensBlock {
    uint32_t magic;  // LENS_MAGIC
    uint32_t length; // of the payload, in bytes, as it is sent
    uint8_t type;    // LensBlockType
    uint8_t flags; // LENS_COMPRESSED: the payload is one zstd frame (written by the front only)
    uint16_t source;   // whose it is: 0 the agent's thread, else a ring's number
    uint32_t sequence; // counts the blocks of a connection or file
    uint64_t time;     // base of the times within
    uint32_t crc;      // CRC-32C of the payload, as it is sent
    uint32_t
        lost; // records that this source has dropped since its last block, as its ring was full
} LensBlock;  // 32 bytes, little-endian
#define LENS_COMPRESSED 1

typedef enum LensBlockType {
    LENS_HELLO =
        1, // once from the agent, first: pairs of `s` name, `s` value (LENS_HELLO names below)
    LENS_DEFS,  // `u` LensDef, then the fields of that definition
    LENS_ORDER, // from the front: `u` order id (the front's, from 1), `s` verb, `u` n, n x (`s` name, `s` value)
    LENS_ANSWER, // `u` order id, `u` LensState, `u` permille done, `u` milliseconds left (0: not known), `s` text, `u` n, n x (`s`, `s`)
    LENS_SAMPLES, // dt, `u` thread, `u` stack (0: none), `u` LensSampleKind, `u` weight in ns, `u` LensThreadState, `u` failure (0; else
                  // 1 - ticks of AsyncGetCallTrace, 1000 no room)
    LENS_METRICS, // dt, `u` n, n x (`u` LensMetric, `u` thread or 0, `z` value)
    LENS_THREADS, // dt, `u` thread, `u` LensThreadState, `u` stack (0: not taken): a thread whose state changed
    LENS_ALLOCS, // dt, `u` 0, `u` thread, `u` stack, `u` class, `u` size, `u` weight in bytes, `u` object (0: is not followed);
    // or dt, `u` 1, `u` object: it was freed; LENS_ALL_FOLLOWED: none is followed from here on
    LENS_LOCKS, // dt (of the end), `u` LensLockKind, `u` thread, `u` stack, `u` nanoseconds, `u` monitor (an id of the agent), `u` class
    // of the monitor, `u` owner thread at the start (BLOCKED: now), `u` stack of the owner
    LENS_GC,         // dt (of the start), `u` nanoseconds
    LENS_EXCEPTIONS, // dt, `u` thread, `u` stack, `u` class, `s` message, `u` method that catches (0: none), `z` its bci, `u` n,
    // n x (`s` name, `s` value) of the throwing frame's locals, `u` how many more of this class were thrown at this
    // place since its last record (they were only counted: the limit)
    LENS_WATCHES, // dt, `u` point, `u` thread, `u` stack (0), `u` LensWatchKind, `u` nanoseconds, `u` hits that were only counted since
                  // the last record of the point, `u` n, n x (`s` name, `s` value)
    LENS_COVERAGE, // `u` 0, `u` method, `u` bci, `u` count: a place was reached (count: 1, or how often since its last record;
    // 0: it is there, told once for each place and way before it can be reached);
    // or `u` 1, `u` method, `u` bci of the jump, `u` bci of its target, `u` count: a way was taken. A count of 0: the place or
    // way is watched (told once when a class is armed)
    LENS_EXACT, // `u` stack, `u` calls, `u` nanoseconds self, `u` nanoseconds with callees: sums since the order began; later ones replace.
    // Stack 0: an order begins, whose sums are not those of the one before
    LENS_DUMP, // `u` order id, `s` text: a thread dump
    LENS_HEAP, // a piece of a heap walk: LensHeapRecord follows (below); on the socket only where no descriptor was passed
    LENS_PING, // empty
    LENS_BYE,  // from the agent: `s` why (VMDeath; detached)
    LENS_INDEX, // last in a file: `u` n, n x (`u` offset in the file, `u` type, `u` time)
    LENS_CLOCK // `u` CLOCK_MONOTONIC, `u` CLOCK_REALTIME, both ns: paired each second while anything is recorded
} LensBlockType;

// Names in HELLO (values are text): version (of this header), vm.name, vm.version, java.version, java.command, java.home, pid, user,
// start.time (realtime ms), monotonic, realtime (ns, a pair), cores, page.size, agent.late (0, 1), and for each capability that the
// agent knows how to use cap.<jvmti name without can_> = "had", "can" (to be added when asked for) or "no"; asgct (0, 1),
// costs (0, 1: EnvironmentCosts), allocated (how ALLOCATED is got: vm, by the VM's own count; threads, by ThreadMXBean, in older JDKs without
// what a thread allocates between the last reading and its end; heap, growth of HEAP_USED where no collection came in between), list.breakpoints (0, 1: SetBreakpoints), perf.events (0, 1: perf_event_open is allowed).

typedef enum LensDef {
    LENS_DEF_CLASS =
        1, // `u` id, `s` name (java.lang.String, int[]; of hidden classes as Class.getName), `s` source file, `u` loader (0: boot),
           // `u` modifiers
    LENS_DEF_METHOD, // `u` id, `u` class, `s` name, `s` signature, `u` modifiers, `u` bytes of bytecode, `u` n, n x (`u` bci less the one before,
                     // `z` line less the one before): its line table, in order of bci
    LENS_DEF_THREAD, // `u` id, `s` name, `u` flags (1 daemon, 2 of the VM or native), `u` tid of the system, `s` group: again when its name changes
    LENS_DEF_STACK, // `u` id, `u` caller stack (0: the bottom), `u` LensFrameKind, then JAVA: `u` method, `z` bci (-1 native method, -2 unknown);
    // NATIVE: `u` module, `u` offset (address in the file's own terms); NAMED: `s` text ("GC", "VM")
    LENS_DEF_MODULE, // `u` id, `s` path, `s` build id in hex
    LENS_DEF_POINT, // `u` id, `u` order that made it, `s` text: a watch or log point as the page shows it
    LENS_DEF_LOADER // `u` id, `s` name, `u` class
} LensDef;

typedef enum LensFrameKind {
    LENS_FRAME_JAVA,
    LENS_FRAME_NATIVE,
    LENS_FRAME_NAMED
} LensFrameKind;
typedef enum LensSampleKind { LENS_SAMPLE_CPU, LENS_SAMPLE_WALL } LensSampleKind;
typedef enum LensState { LENS_ACCEPTED = 1, LENS_PROGRESS, LENS_DONE, LENS_FAILED } LensState;
typedef enum LensThreadState {
    LENS_UNKNOWN,
    LENS_RUNNING,
    LENS_BLOCKED,
    LENS_WAITING,
    LENS_PARKED,
    LENS_SLEEPING,
    LENS_IN_NATIVE,
    LENS_NEW,
    LENS_ENDED
} LensThreadState;
// BLOCKED: a thread that has waited for a monitor for a second or more and still does, told each second with the time so far (its
// ENTER follows when it has the monitor): what deadlocks are found by.
typedef enum LensLockKind {
    LENS_LOCK_ENTER,
    LENS_LOCK_WAIT,
    LENS_LOCK_PARK,
    LENS_LOCK_BLOCKED
} LensLockKind;
typedef enum LensWatchKind {
    LENS_WATCH_CALL,
    LENS_WATCH_RETURN,
    LENS_WATCH_THROW,
    LENS_WATCH_LOG,
    LENS_WATCH_NOTE
} LensWatchKind;

// Cumulative ones only grow. What a VM cannot tell is not sent. Of a thread: THREAD_CPU and THREAD_ALLOCATED.
typedef enum LensMetric {
    LENS_PROCESS_CPU = 1, // ns, cumulative
    LENS_HEAP_USED,       // bytes
    LENS_HEAP_COMMITTED,  // bytes
    LENS_HEAP_MAX,        // bytes
    LENS_ALLOCATED,       // bytes, cumulative; HELLO's `allocated` says how it was got
    LENS_GC_COUNT,        // cumulative
    LENS_GC_NANOS,        // cumulative
    LENS_CLASSES,         // loaded now
    LENS_THREADS_LIVE,
    LENS_THREADS_RUNNING,
    LENS_THREADS_BLOCKED,
    LENS_THREADS_WAITING,
    LENS_EXCEPTION_COUNT,  // cumulative, while exceptions are recorded
    LENS_CONTENDED_COUNT,  // cumulative, while locks are recorded
    LENS_CONTENDED_NANOS,  // cumulative
    LENS_CODE_CACHE_USED,  // bytes
    LENS_RESIDENT,         // bytes of the process
    LENS_THREAD_CPU,       // ns, cumulative, of a thread
    LENS_THREAD_ALLOCATED, // bytes, cumulative, of a thread
    LENS_AGENT_NANOS, // cumulative: what Lens itself has used (its threads, handlers and callbacks)
    LENS_OTHER_AGENT_NANOS, // cumulative, `thread` is the number of the environment: callbacks of another agent
    LENS_OTHER_AGENT_EVENTS // likewise: how many
} LensMetric;

// Verbs of ORDER and their arguments (all text; what stands in brackets is the default). Recording verbs are answered ACCEPTED, run until
// `stop`, the end of the connection or a `seconds` that any of them takes, and are then answered DONE. FAILED has a sentence that says why
// and what to do. Before something that stops the program it is ACCEPTED with stop.ms (an estimate) where `confirm` is not 1, and does nothing.
//   metrics     ms [250]
//   cpu         hz [100], mode cpu|wall|both [cpu], native 0|1 [1], depth [512]
//   alloc       interval bytes [524288] (0: each), live 0|1 [0]
//   locks       parks 0|1 [1]
//   threads     ms [50], stacks 0|1 [0]
//   gc          -
//   exceptions  class PATTERN [*], locals 0|1 [0], limit a second [1000]
//   exact       include PATTERNS
//   watch       class PATTERN, method NAME or *, [line N], [signature], values args|all [args], expr TEXT (a log point: what to print, {} around
//               expressions), when TEXT, limit a second [20], max hits [0: none]; accepted with the values methods (how many) and point (its text)
//   coverage    include PATTERNS [*], exclude PATTERNS, branches 0|1 [0], counts 0|1 [0]
//   heap        contents 0|1 [1] (fields, strings, array elements), confirm 0|1 [0]; the front may pass a descriptor (SCM_RIGHTS) with it
//   dump        -           (a thread dump, DUMP)
//   stack       thread ID   (one thread's stack now: THREADS record with a stack)
//   source      class NAME  (answered with values: source = the file's name, and for each method name(descriptor)return =
//               "modifiers bci:line,bci:line,... bytecodes in hex"; a part that is missing is -)
//   classes     match TEXT, limit [200] (names for completion: answered with values class = methods separated by
//               line feeds, each "name(descriptor)return first-last": its lines, where they are known)
//   debugger    port [0: any]; answered with port; debugger.stop
//   stop        order ID
//   detach      -           (all orders end, the agent goes to sleep)
// PATTERNS are separated by commas: com.acme.* (a package and those below), com.acme.Order, *Service; a leading - excludes.

// A heap walk: in the blocks LENS_HEAP of one order, or as a raw stream in the descriptor that was passed, which then begins with
// LENS_HEAP_MAGIC and goes on until END. Objects are numbered from 1 in the order of their OBJECT records; classes have the ids of
// the connection's definitions (in a descriptor all classes are defined by CLASS records within). All REF, PRIMITIVE, STRING and ARRAY
// records from one object follow each other (CLASS, OBJECT, CLASS_OBJECT and ROOT records may stand between). `thread` of a ROOT is a
// LENS_DEF_THREAD; the root of kind JVMTI_HEAP_REFERENCE_THREAD with that number leads to its java.lang.Thread.
#define LENS_ALL_FOLLOWED UINT64_MAX
#define LENS_HEAP_MAGIC   "LENSHEA1"
typedef enum LensHeapRecord {
    LENS_HEAP_CLASS =
        1, // `u` class, `s` name, `u` super class, `u` n, n x (`s` field name, `u` type char, `u` 1 static | 0): the fields in the order of
    // JVM TI's field indexes of this class alone (without those of super classes and interfaces), `u` loader object (0),
    // `u` fields of all its interfaces (of an interface: super interfaces) together: the first index of Object's fields;
    // before the first object of it, super classes before
    LENS_HEAP_OBJECT, // `u` object, `u` class, `u` size in bytes, `u` length (arrays, else 0): before the first reference to or from it
    LENS_HEAP_REF, // `u` from, `u` to, `u` kind (jvmtiHeapReferenceKind), `u` index (field or element, else 0)
    LENS_HEAP_ROOT, // `u` to, `u` kind, `u` thread, `u` depth, `u` method, `u` slot (0 where it has none)
    LENS_HEAP_PRIMITIVE, // `u` object, `u` field index, `u` type char, `u` value bits
    LENS_HEAP_STRING, // `u` object (a java.lang.String), `u` characters in all, `s` the first 1,000 of them
    LENS_HEAP_ARRAY, // `u` object, `u` type char, `u` bytes that follow (at most the first 4,096 of the array), bytes, little-endian
    LENS_HEAP_CLASS_OBJECT, // `u` object, `u` class: this object is the java.lang.Class of that class
    LENS_HEAP_END // `u` objects, `u` references, `u` nanoseconds that the program stood, `u` 0 whole | 1 stopped | 2 disk full
} LensHeapRecord;

#endif
