import { useAgents } from './agents'

/** The command that starts an agent which this machine has. */
export function StartCommand() {
  return <code>signalbox start {useAgents().first?.name ?? 'demo'} --attach</code>
}
