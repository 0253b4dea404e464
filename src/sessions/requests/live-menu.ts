import type { Menu, Observation } from '../../screen/index.js'

/** The menu that waits for an answer on this screen, if one does. */
export function liveMenu(observation: Observation | null): Menu | null {
  if (observation?.view === 'tool_menu') return (observation as Observation<'tool_menu'>).payload.menu
  if (observation?.view === 'auth_required') return (observation as Observation<'auth_required'>).payload.menu ?? null
  return null
}
