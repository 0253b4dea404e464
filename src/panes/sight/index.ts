/*
 * How a session's terminal is read: a `Sight` sends bytes, sizes and times to a `SightReader` and
 * gets back what they show. The reader is in the same thread (`LocalSight`: commands that host a
 * session themselves) or in another one (`SightThreads`: the daemon); the session does not notice.
 *
 *   Sight ── request ──► SightReader ─► PaneScreen     sight.ts, sight-reader.ts, messages.ts
 *     ▲                       │
 *     └─ ScreenMirror ◄─ LookEncoder                   screen-mirror.ts, look-encoder.ts
 *
 * - sight-threads.ts starts threads, gives sessions to them and ends those that hang;
 *   thread-main.ts is such a thread.
 * - session-scheduler.ts: sessions that share a thread take turns, on the host and in each thread.
 */

export type { Picture } from './messages.js'
export { type SessionQueue, SessionScheduler } from './session-scheduler.js'
export { LocalSight, Sight, type SightPlace } from './sight.js'
export { SightThreads } from './sight-threads.js'
