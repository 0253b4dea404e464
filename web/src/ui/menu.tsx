import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { MoreIcon } from './icons'

interface MenuProps {
  label: string
  children: ComponentChildren
  trigger?: ComponentChildren
  class?: string
  isUp?: boolean
  isLeft?: boolean
  isDisabled?: boolean
}

/** A button that opens a list of actions. */
export function Menu({ label, children, trigger, class: kind = 'btn quiet icon', ...options }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('.menu :is(button, a):not(:disabled)') ?? [])]

  const list = useRef<HTMLDivElement>(null)
  const [isUp, setUp] = useState(options.isUp === true)

  useLayoutEffect(() => {
    if (isOpen && list.current && button.current)
      setUp(options.isUp === true || hasMoreRoomAbove(list.current, button.current))
  }, [isOpen])

  useEffect(() => {
    if (!isOpen) return
    items()[0]?.focus({ preventScroll: true })
    const away = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [isOpen])

  const onKey = (event: KeyboardEvent) => {
    if (!isOpen) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      setOpen(false)
      button.current?.focus()
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const all = items()
      const at = all.indexOf(document.activeElement as HTMLElement)
      all[(at + (event.key === 'ArrowDown' ? 1 : -1) + all.length) % all.length]?.focus()
    } else if (event.key === 'Tab') setOpen(false)
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the list inside bubble up to here
    <div class="menu-box" ref={box} onKeyDown={onKey}>
      <button
        ref={button}
        type="button"
        class={kind}
        aria-label={trigger ? undefined : label}
        aria-haspopup="true"
        aria-expanded={isOpen}
        disabled={options.isDisabled}
        onClick={() => setOpen(!isOpen)}
      >
        {trigger ?? <MoreIcon />}
      </button>
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a click on an action closes the menu
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter on an action is a click
        <div
          ref={list}
          class={`menu ${isUp ? 'up' : ''} ${options.isLeft ? 'left' : ''}`}
          onClick={() => setOpen(false)}
        >
          {children}
        </div>
      )}
    </div>
  )
}

/** The list does not fit below its button, and there is more room above. */
function hasMoreRoomAbove(list: HTMLElement, button: HTMLElement): boolean {
  const { top, bottom } = button.getBoundingClientRect()
  let frame = { top: 0, bottom: innerHeight }
  for (let box = button.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowY === 'visible') continue
    const rect = box.getBoundingClientRect()
    frame = { top: Math.max(frame.top, rect.top), bottom: Math.min(frame.bottom, rect.bottom) }
  }
  const below = frame.bottom - bottom
  return list.offsetHeight + 6 > below && top - frame.top > below
}
