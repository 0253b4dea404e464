import { loadDetections, loadPack, packAgents } from '../../agents/packs/index.js'
import { detectByCommand, detectByScreen } from '../../panes/index.js'
import type { Pack } from '../../screen/index.js'
import type { Recorded } from './recorded.js'

export interface ChosenPack {
  agent: string | null
  version: string | null
  pack: Pack
  /** The agent that was named has no pack. */
  isMissing: boolean
}

/** The pack for a recording: of the agent that was named, or recognised by its command line, banner or title; else the generic one. */
export async function choosePack(
  recorded: Recorded,
  named: { agent: string | null; version: string | null },
  userDirectory: string,
): Promise<ChosenPack> {
  const isKnown =
    named.agent !== null &&
    (named.agent === 'generic' || (await packAgents({ user: userDirectory })).includes(named.agent))
  const wanted = isKnown ? named.agent : null
  const isMissing = named.agent !== null && !isKnown
  if (wanted !== null && named.version !== null)
    return {
      agent: wanted,
      version: named.version,
      pack: await loadPack(wanted, userDirectory, named.version),
      isMissing,
    }
  const detections = await loadDetections({ user: userDirectory }, wanted)
  const byCommand = wanted === null && recorded.command !== null ? detectByCommand(recorded.command, detections) : null
  const known = wanted ?? byCommand?.agent ?? null
  const candidates = known === null ? detections : detections.filter(({ agent }) => agent === known)
  const seen = candidates.length === 0 ? null : detectByScreen(recorded.events, recorded, candidates)
  const agent = known ?? seen?.agent ?? null
  const version = named.version ?? seen?.version ?? null
  return {
    agent: agent ?? named.agent,
    version,
    pack: await loadPack(agent, userDirectory, version),
    isMissing: isMissing && agent === null,
  }
}
