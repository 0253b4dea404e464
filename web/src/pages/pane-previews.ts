import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { onGap, onPassing } from '../store/live'
import { watch } from '../store/watching'
import { request } from '../transport/request'

/** Pictures under way at once: a wall of hundreds must not keep the press of a button waiting. */
const FETCHES_MAX = 4

/**
 * Pictures of the panes whose tiles are in view. A new one is fetched when the stream says that the screen is another; what is out of view
 * costs nothing, and is looked at when it comes into view.
 */
export function usePreviews(wall: RefObject<HTMLElement | null>, ids: readonly string[]): ReadonlyMap<string, string> {
  const [pictures, setPictures] = useState<ReadonlyMap<string, string>>(new Map())
  const key = [...ids].sort().join()
  useEffect(() => {
    const inView = new Set<string>()
    const due = new Set<string>()
    let running = 0
    let isOver = false
    let stopWatching = () => {}
    const fetchDue = () => {
      for (const id of due) {
        if (running >= FETCHES_MAX || isOver) return
        due.delete(id)
        running++
        void request(`/panes/${id}/preview.svg`)
          .then(response => response.text())
          .then(text => !isOver && setPictures(before => new Map(before).set(id, text)))
          .catch(() => undefined)
          .finally(() => {
            running--
            fetchDue()
          })
      }
    }
    const look = (id: string) => {
      due.add(id)
      fetchDue()
    }
    const observer = new IntersectionObserver(
      entries => {
        for (const { target, isIntersecting } of entries) {
          const id = (target as HTMLElement).dataset.pane!
          if (!isIntersecting) {
            inView.delete(id)
            due.delete(id)
          } else if (!inView.has(id)) {
            inView.add(id)
            look(id)
          }
        }
        stopWatching()
        stopWatching = watch({ panes: [...inView] })
      },
      { rootMargin: '200px' },
    )
    for (const tile of wall.current?.querySelectorAll('[data-pane]') ?? []) observer.observe(tile)
    const stopPassing = onPassing((type, data) => {
      if (type === 'pane.preview' && inView.has(String(data.pane))) look(String(data.pane))
    })
    const stopGap = onGap(() => {
      for (const id of inView) look(id)
    })
    return () => {
      isOver = true
      observer.disconnect()
      stopWatching()
      stopPassing()
      stopGap()
    }
  }, [key, wall])
  return pictures
}

const ROW_HEIGHT = 17
const RATIO = 9 / 16
/** So that letters do not touch the frame. */
const MARGIN = 10

/** A thumbnail shows the last rows that say something: that is where a question or an answer stands. */
export function frameLast(svg: SVGSVGElement): void {
  const [, , width, height] = (svg.getAttribute('viewBox') ?? '').split(' ').map(Number)
  if (!width || !height) return
  const last = Math.max(0, ...[...svg.querySelectorAll('text')].map(text => Number(text.getAttribute('y'))))
  const shown = Math.min(height, width * RATIO)
  const top = Math.max(0, Math.min(last + ROW_HEIGHT - shown, height - shown))
  svg.setAttribute('viewBox', `${-MARGIN} ${top - MARGIN} ${width + 2 * MARGIN} ${shown + 2 * MARGIN}`)
  svg.setAttribute('preserveAspectRatio', 'xMinYMin meet')
}
