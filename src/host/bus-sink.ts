import { BLOCK_CAPS, type Sink } from '../sessions/index.js'
import type { LiveBus } from './bus.js'

/** Shows a session to whoever listens on this host's bus: the dashboard and waiting commands. What must arrive is in the log already. */
export function busSink(bus: LiveBus): Sink {
  return {
    kind: 'web',
    caps: BLOCK_CAPS,
    open: async () => undefined,
    update: (message, blocks) => bus.emit({ type: 'message.update', ...message, blocks }),
    close: async () => undefined,
    ask: async () => undefined,
    settle: async () => undefined,
    notice: async () => undefined,
    typing: (session, on) => bus.emit({ type: 'typing', session, on }),
  }
}
