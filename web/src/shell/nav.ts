import { computed } from '@preact/signals'
import { isOpenRun } from '../../../src/text/needs-you'
import { runs, sessions, workerCount } from '../store/live'
import { needsCount } from '../store/needs'
import { route } from '../store/router'
import { GraphIcon, NeedsIcon, RunsIcon, SessionsIcon, SettingsIcon, UsageIcon, WorkersIcon } from '../ui/icons'
import { isLiveSession } from '../ui/status'

const liveCount = computed(() => sessions.all.value.filter(isLiveSession).length)
const openRunCount = computed(() => runs.all.value.filter(isOpenRun).length)

/** The pages of the main navigation; `g` and `key` open them. */
export const PAGES = [
  {
    href: '/',
    label: 'Needs you',
    pages: ['overview', 'approval', 'requests'],
    icon: NeedsIcon,
    key: 'o',
    count: needsCount,
  },
  {
    href: '/sessions',
    label: 'Sessions',
    pages: ['sessions', 'session', 'replay', 'compare'],
    icon: SessionsIcon,
    key: 's',
    count: liveCount,
  },
  {
    href: '/runs',
    label: 'Runs',
    pages: ['runs', 'run', 'compare-runs'],
    icon: RunsIcon,
    key: 'r',
    count: openRunCount,
  },
  { href: '/graphs', label: 'Graphs', pages: ['graphs'], icon: GraphIcon, key: 'w', count: null },
  { href: '/usage', label: 'Usage', pages: ['usage'], icon: UsageIcon, key: 'u', count: null },
  { href: '/settings', label: 'Settings', pages: ['settings'], icon: SettingsIcon, key: 't', count: null },
  { href: '/workers', label: 'Workers', pages: ['workers'], icon: WorkersIcon, key: 'm', count: null },
] as const

/**
 * Workers are for people with more than one machine; the palette and the settings always have them.
 */
export const shownPages = computed(() =>
  PAGES.filter(({ href, pages }) => href !== '/workers' || workerCount.value > 0 || isCurrent(pages)),
)

export function isCurrent(pages: readonly string[]): boolean {
  return pages.includes(route.value.page)
}
