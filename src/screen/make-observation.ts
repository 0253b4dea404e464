import { memoizeByObject } from '../terminal/index.js'
import { readCompletion, readComposer } from './composer.js'
import type { Awaiting, Facet, Observation } from './observation.js'
import type { RuleMatch } from './rules.js'
import type { Scene } from './scene.js'
import type { Payload, TerminalView } from './view.js'

/** The basis of a view. Omitted fields follow from the rule that matched. */
export interface ObservationBasis {
  match?: RuleMatch | null
  rule?: string
  confidence?: number
  anchored?: boolean
  busy?: boolean | null
  awaiting?: Awaiting | null
  ambiguous?: TerminalView[]
  evidence?: Observation['evidence']
}

/** The observation for a view, with everything else that the frame shows. */
export function makeObservation<V extends TerminalView>(
  scene: Scene,
  view: V,
  payload: Payload[V],
  seen: ObservationBasis,
): Observation<V> {
  const { match } = seen
  const { terminator } = scene.layout
  return {
    view,
    payload,
    confidence: Math.min(
      (seen.confidence ?? match?.rule.confidence ?? 0.7) * scene.pack.trust,
      scene.frame.torn ? 0.5 : 1,
    ),
    anchored: seen.anchored ?? Boolean(match),
    rule: seen.rule ?? (match ? `${scene.pack.agent}/${match.rule.id}` : 'none'),
    busy: seen.busy === undefined ? (match?.rule.busy ?? null) : seen.busy,
    awaiting: seen.awaiting ?? null,
    composer: boxOf(scene),
    facets: facetsOf(scene),
    user: scene.turn.echoText,
    terminator: terminator && { row: terminator.row, outcome: terminator.outcome },
    ambiguous: seen.ambiguous ?? [],
    evidence: seen.evidence ?? (match ? [{ region: match.rule.region, rows: match.rows, text: match.text }] : []),
  }
}

export function observeNothing(scene: Scene): Observation<'unknown'> {
  return makeObservation(scene, 'unknown', { recognised: false }, { confidence: 0, rule: 'none', busy: null })
}

/** The live input box of a scene, which may be observed twice. */
const boxOf = memoizeByObject((scene: Scene): Observation['composer'] => {
  const { composer, rows } = scene.layout
  if (!composer) return null
  const box = readComposer(rows, composer, ignoredInBox(scene))
  return { ...box, queued: queuedTexts(scene), completion: readCompletion(rows, composer.last + 1) }
})

function ignoredInBox({ pack }: Scene): RegExp | null {
  const spec = pack.regions.find(region => region.name === 'composer' && region.kind === 'gutter')
  return spec?.kind === 'gutter' ? spec.ignore : null
}

function queuedTexts({ layout }: Scene): string[] {
  return layout.rows
    .filter((_, index) => layout.roles[index] === 'queued')
    .map(row => row.text.replace(/^\s*\S\s+/u, '').trim())
}

const facetsOf = memoizeByObject((scene: Scene): Facet[] => {
  const facets = scene.matches.flatMap((match): Facet[] =>
    match.rule.facet ? [{ name: match.rule.facet, data: match.values }] : [],
  )
  if (scene.todos && scene.todos.total > 0) facets.push({ name: 'todo', data: { ...scene.todos } })
  const queued = queuedTexts(scene)
  if (queued.length > 0) facets.push({ name: 'queued', data: { count: queued.length } })
  return facets
})
