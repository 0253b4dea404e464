import type { Frame } from '../terminal/index.js'
import { createLayout, type Layout } from './layout.js'
import type { Menu } from './menu/menu.js'
import type { Pack, RuleSpec } from './pack/pack.js'
import { rowsOf } from './region.js'
import { evaluateRules } from './rules.js'

interface ExplainedRegion {
  name: string
  rows: [number, number]
  text: string
}

interface ExplainedRule {
  id: string
  /** A view, `facet:…` or `skip:…`. */
  view: string
  priority: number
  region: string
  matched: boolean
  /** `holds`, or the first condition that failed. */
  why: string
  rows?: [number, number]
  text?: string
}

interface ExplainedMenu {
  live: boolean
  proofs: string[]
  /** The proof that failed; null for a live menu. */
  failed: string | null
  menu: Omit<Menu, 'live'>
}

export interface FrameExplanation {
  regions: ExplainedRegion[]
  rules: ExplainedRule[]
  menus: ExplainedMenu[]
}

/** Explains a frame: its regions, every rule in order, every menu, live or not. */
export function explainFrame(frame: Frame, pack: Pack): FrameExplanation {
  const layout = createLayout(frame, pack)
  return {
    regions: [...layout.regions.values()]
      .sort((a, b) => a.first - b.first)
      .map(region => ({
        name: region.name,
        rows: [region.first, region.last],
        text: rowsOf(layout.rows, region)
          .map(row => row.text)
          .join('\n'),
      })),
    rules: explainRules(frame, layout, pack),
    menus: [layout.menu, layout.quoted].flatMap(found =>
      found
        ? [
            {
              live: found.liveness.isLive,
              proofs: found.liveness.proofs,
              failed: found.liveness.failed,
              menu: found.candidate.menu,
            },
          ]
        : [],
    ),
  }
}

/** Highest priority first; of equal ones the later, which wins. */
function explainRules(frame: Frame, layout: Layout, pack: Pack): ExplainedRule[] {
  const onScreen = evaluateRules(frame, layout.rows, pack, layout.regions).map(({ rule, match, why }) => ({
    rule,
    explained: {
      ...describe(rule),
      matched: match !== null,
      why,
      ...(match && { rows: match.rows, text: match.text }),
    },
  }))
  const inTitle = pack.rules
    .filter(rule => rule.region === 'title')
    .map(rule => {
      const isMatched = rule.line?.test(frame.title) ?? false
      return {
        rule,
        explained: {
          ...describe(rule),
          matched: isMatched,
          why: isMatched ? 'holds' : 'the title does not match',
          ...(isMatched && { text: frame.title }),
        },
      }
    })
  const order = new Map(pack.rules.map((rule, index) => [rule, index]))
  return [...onScreen, ...inTitle]
    .sort((a, b) => b.rule.priority - a.rule.priority || order.get(b.rule)! - order.get(a.rule)!)
    .map(({ explained }) => explained)
}

function describe(rule: RuleSpec): Pick<ExplainedRule, 'id' | 'view' | 'priority' | 'region'> {
  const view = rule.view ?? (rule.skip !== null ? `skip:${rule.skip}` : `facet:${rule.facet ?? 'none'}`)
  return { id: rule.id, view, priority: rule.priority, region: rule.region }
}
