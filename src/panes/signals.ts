/** Everything that happens to a pane is a signal, written `source.name`. */
export const SIGNAL_SOURCES = [
  'exit',
  'osc7501',
  'hook',
  'transcript',
  'shell',
  'title',
  'screen',
  'content',
  'process',
  'timer',
  'user',
] as const
export type SignalSource = (typeof SIGNAL_SOURCES)[number]

export interface Signal {
  source: SignalSource
  name: string
  generation: number
  /** Seconds since the pane's start. */
  t: number
  data: Readonly<Record<string, unknown>>
}

/** Losing one of these would leave a pane waiting or working forever. */
const PROTECTED: ReadonlySet<string> = new Set([
  'shell.command-end',
  'hook.turn-done',
  'hook.turn-failed',
  'hook.turn-interrupted',
  'hook.ended',
  'hook.request',
  'hook.waiting-permission',
  'hook.waiting-question',
  'hook.waiting-auth',
  'osc7501.blocked',
  'process.exit',
])

export function signalName({ source, name }: Pick<Signal, 'source' | 'name'>): string {
  return `${source}.${name}`
}

/** Never dropped; this includes all actions of a person. */
export function isProtected(signal: Pick<Signal, 'source' | 'name'>): boolean {
  return signal.source === 'user' || PROTECTED.has(signalName(signal))
}

/** Dropped first: the next one of its kind says as much. */
export function isLowPriority(signal: Signal): boolean {
  const name = signalName(signal)
  return (
    name === 'content.update' ||
    name === 'title.progress' ||
    (signal.source === 'screen' && signal.data.repeat === true)
  )
}

export function isMergeable(signal: Pick<Signal, 'source' | 'name'>): boolean {
  return signalName(signal) === 'content.update'
}
