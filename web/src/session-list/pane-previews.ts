import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { onEphemeral, onGap } from '../store/live'
import { watch } from '../store/watching'
import { request } from '../transport/request'

/** Concurrent requests: hundreds of previews must not delay a decision. */
const FETCHES_MAX = 4

/**
 * Previews of the panes whose tiles are in view. A preview is fetched again when the stream reports
 * that the screen changed. Tiles that are out of view cost nothing; their preview is fetched when
 * they come into view.
 */
export function usePreviews(wall: RefObject<HTMLElement | null>, ids: readonly string[]): ReadonlyMap<string, string> {
  const [pictures, setPictures] = useState<ReadonlyMap<string, string>>(new Map())
  const key = [...ids].sort().join()
  useEffect(() => {
    const inView = new Set<string>()
    const due = new Set<string>()
    let running = 0
    let isStopped = false
    let stopWatching = () => {}
    const fetchDue = () => {
      for (const id of due) {
        if (running >= FETCHES_MAX || isStopped) return
        due.delete(id)
        running++
        void request(`/panes/${id}/preview.svg`)
          .then(response => response.text())
          .then(text => !isStopped && setPictures(before => new Map(before).set(id, text)))
          .catch(() => undefined)
          .finally(() => {
            running--
            fetchDue()
          })
      }
    }
    const load = (id: string) => {
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
            load(id)
          }
        }
        stopWatching()
        stopWatching = watch({ panes: [...inView] })
      },
      { rootMargin: '200px' },
    )
    for (const tile of wall.current?.querySelectorAll('[data-pane]') ?? []) observer.observe(tile)
    const stopEphemeral = onEphemeral(({ event, data }) => {
      if (event === 'pane.preview' && inView.has(data.pane)) load(data.pane)
    })
    const stopGap = onGap(() => {
      for (const id of inView) load(id)
    })
    return () => {
      isStopped = true
      observer.disconnect()
      stopWatching()
      stopEphemeral()
      stopGap()
    }
  }, [key, wall])
  return pictures
}

const ROW_HEIGHT = 17
const RATIO = 9 / 16
/** Keeps the text away from the frame. */
const MARGIN = 10

/**
 * A thumbnail shows the last rows with text: questions and answers are at the bottom of the screen.
 */
export function showLastRows(svg: SVGSVGElement): void {
  const [, , width, height] = (svg.getAttribute('viewBox') ?? '').split(' ').map(Number)
  if (!width || !height) return
  const last = Math.max(0, ...[...svg.querySelectorAll('text')].map(text => Number(text.getAttribute('y'))))
  const shown = Math.min(height, width * RATIO)
  const top = Math.max(0, Math.min(last + ROW_HEIGHT - shown, height - shown))
  svg.setAttribute('viewBox', `${-MARGIN} ${top - MARGIN} ${width + 2 * MARGIN} ${shown + 2 * MARGIN}`)
  svg.setAttribute('preserveAspectRatio', 'xMinYMin meet')
}
