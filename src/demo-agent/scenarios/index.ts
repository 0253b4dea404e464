/*
 * The scenarios of the demo agent that `--scenario` knows by name. docs/demo-agent.md describes
 * them and the format of others.
 */

import type { Scenario } from '../scenario/types.js'
import { auto, retry } from './auto.js'
import { chat } from './chat.js'
import { crash, errors, garbage, hang, huge, login, long, trust, zombie } from './faults.js'
import { menus } from './menus.js'
import { tour } from './tour.js'

/** The scenarios that `--scenario` knows by name. */
export const BUILT_IN: readonly Scenario[] = [
  tour,
  chat,
  menus,
  auto,
  retry,
  long,
  errors,
  trust,
  login,
  zombie,
  crash,
  hang,
  huge,
  garbage,
]
