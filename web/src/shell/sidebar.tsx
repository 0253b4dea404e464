import { me } from '../store/live'
import { needsCount } from '../store/needs'
import { Mark, PlusIcon, WhyIcon } from '../ui/icons'
import { isHelpOpen } from './keyboard'
import { isHere, STOPS } from './nav'

export function Sidebar() {
  return (
    <header class="side">
      <a class="brand" href="/">
        <Mark />
        <span>Signalbox</span>
      </a>
      <nav class="track" aria-label="Main">
        {STOPS.map(({ href, label, pages, icon: Icon, count }) => (
          <a
            key={href}
            href={href}
            class={`stop ${href === '/' && needsCount.value > 0 ? 'needs' : ''}`}
            aria-current={isHere(pages) ? 'page' : undefined}
            title={label}
          >
            <span class="station" />
            <span class="icon">
              <Icon />
            </span>
            <span class="label">{label}</span>
            {count && count.value > 0 && <span class="count">{count.value}</span>}
          </a>
        ))}
      </nav>
      <div class="side-foot">
        <a class="btn" href="/start" title="Start a session or a run">
          <PlusIcon />
          <span class="label">Start</span>
        </a>
        <button type="button" class="btn quiet" title="Keys and help" onClick={() => (isHelpOpen.value = true)}>
          <WhyIcon />
          <span class="label">Keys</span>
        </button>
        {me.value && (
          <div class="who tiny dim">
            {me.value.person.name}
            {me.value.person.role !== me.value.person.name && ` · ${me.value.person.role}`}
          </div>
        )}
      </div>
    </header>
  )
}
