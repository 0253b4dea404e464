import type { ScreenView } from '../../panes/index.js'
import { EMPTY_PROGRAM_STATUS } from '../../terminal/index.js'
import type { Holder } from '../live/keyboard.js'
import type { Phase } from '../live/phase-table.js'
import type { SessionState } from '../live/session-port.js'

/* What surfaces read of a screen, for a session that has none. */

type Observation = NonNullable<SessionState['observation']>

const OBSERVED: Readonly<Record<Phase, Pick<Observation, 'view' | 'busy' | 'awaiting'>>> = {
  dormant: { view: 'idle_prompt', busy: false, awaiting: null },
  thinking: { view: 'thinking', busy: true, awaiting: null },
  streaming: { view: 'response_content', busy: true, awaiting: null },
  'tool-pending': { view: 'tool_menu', busy: false, awaiting: 'permission' },
}

/** What a look at its screen would say. */
export function observationOf(phase: Phase, opening: 'open' | 'opening' | 'needs sign-in'): Observation {
  const about = { rule: `acp/${phase}`, facets: [] }
  if (opening === 'open') return { ...OBSERVED[phase], ...about }
  return opening === 'needs sign-in'
    ? { view: 'auth_required', busy: false, awaiting: 'auth', ...about }
    : { view: 'startup', busy: null, awaiting: null, ...about }
}

const NO_SCREEN: ScreenView = {
  last: null,
  modes: { isBracketedPaste: false, isApplicationCursor: false },
  programStatus: EMPTY_PROGRAM_STATUS,
  readRows: () => [],
  recordInput: () => undefined,
  settleBy: () => undefined,
  requireIdleFor: () => undefined,
}

/** What a session without a terminal answers to questions about one. */
export abstract class WithoutScreen {
  readonly screen: ScreenView = NO_SCREEN
  readonly frame = null
  readonly terminal = { untilRead: () => Promise.resolve() }
  readonly holder: Holder = { kind: 'none' }
  readonly viewers = 0
  readonly isApplicationCursor = false

  async currentFrame(): Promise<null> {
    return null
  }

  resized(): void {}

  /** There is no terminal to type into. */
  async type(): Promise<boolean> {
    return false
  }
}
