import type { Attack } from './attack.js'
import { decide, gates, grants } from './attacks/on-decisions.js'
import { afterwards, kernel, last, outside, reading, reports } from './attacks/on-machine.js'
import { settings, takeOver, typing } from './attacks/on-sessions.js'

/*
 * What a hostile program tries. The scripts are plain shell, so that a reader sees the whole
 * attack. Helpers (`forge.py`, `keeper.py`, `call.py`, `ptrace.py`) are in `helpers.ts`.
 */
export const ATTACKS: readonly Attack[] = [
  ...decide,
  ...gates,
  ...grants,
  ...typing,
  ...takeOver,
  ...settings,
  ...reading,
  ...outside,
  ...afterwards,
  ...kernel,
  ...reports,
  ...last,
]
