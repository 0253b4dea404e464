import { me } from '../store/live'
import { needsCount } from '../store/needs'
import { HelpIcon, Logo, PlusIcon, SearchIcon } from '../ui/icons'
import { isHelpOpen, isPaletteOpen } from './keyboard'
import { isCurrent, shownPages } from './nav'

export function Sidebar() {
  return (
    <header class="side">
      <a class="brand" href="/">
        <Logo />
        <span>Signalbox</span>
      </a>
      <div class="side-top">
        <a class="btn" href="/start" title="Start a session or a run">
          <PlusIcon />
          <span class="label">Start</span>
        </a>
        <button type="button" class="btn" title="Search (Ctrl K)" onClick={() => (isPaletteOpen.value = true)}>
          <SearchIcon />
          <span class="sr">Search</span>
        </button>
      </div>
      <nav class="nav-list" aria-label="Main">
        {shownPages.value.map(({ href, label, pages, icon: Icon, count }) => (
          <a
            key={href}
            href={href}
            class={`nav-item ${href === '/' && needsCount.value > 0 ? 'needs' : ''}`}
            aria-current={isCurrent(pages) ? 'page' : undefined}
            title={label}
          >
            <span class="nav-dot" />
            <span class="icon">
              <Icon />
            </span>
            <span class="label">{label}</span>
            {count && count.value > 0 && <span class="count">{count.value}</span>}
          </a>
        ))}
      </nav>
      <div class="side-foot">
        <button type="button" class="btn quiet" title="Keyboard shortcuts" onClick={() => (isHelpOpen.value = true)}>
          <HelpIcon />
          <span class="label">Shortcuts</span>
        </button>
        {me.value && me.value.person.role !== me.value.person.name && (
          <div class="who tiny dim">
            {me.value.person.name}
            {` · ${me.value.person.role}`}
          </div>
        )}
      </div>
    </header>
  )
}
