import { signal } from '@preact/signals'
import { needsCount } from '../store/needs'
import { Dialog } from '../ui/dialog'
import { MoreIcon, SearchIcon } from '../ui/icons'
import { isCurrent, PAGES, shownPages } from './nav'

const isMoreOpen = signal(false)
const FIRST = ['/', '/sessions', '/runs']

export function BottomBar() {
  const rest = shownPages.value.filter(({ href }) => !FIRST.includes(href))
  return (
    <>
      <nav class="bottom" aria-label="Main">
        {PAGES.filter(({ href }) => FIRST.includes(href)).map(({ href, label, pages, icon: Icon }) => (
          <a key={href} href={href} aria-current={isCurrent(pages) ? 'page' : undefined}>
            <Icon />
            {label}
            {href === '/' && needsCount.value > 0 && <span class="count">{needsCount.value}</span>}
          </a>
        ))}
        <button
          type="button"
          aria-current={isCurrent([...rest.flatMap(({ pages }) => pages), 'search', 'start']) ? 'page' : undefined}
          onClick={() => (isMoreOpen.value = true)}
        >
          <MoreIcon />
          More
        </button>
      </nav>
      {isMoreOpen.value && (
        <Dialog title="More" onClose={() => (isMoreOpen.value = false)}>
          <nav class="stack" aria-label="More">
            {[
              ...rest,
              { href: '/search', label: 'Search', icon: SearchIcon },
              { href: '/start', label: 'Start a session or a run', icon: null },
            ].map(({ href, label, icon: Icon }) => (
              <a
                key={href}
                class="btn tall"
                style={{ justifyContent: 'flex-start' }}
                href={href}
                onClick={() => (isMoreOpen.value = false)}
              >
                {Icon && <Icon />}
                {label}
              </a>
            ))}
          </nav>
        </Dialog>
      )}
    </>
  )
}
