// The plots are a chunk of their own.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Series } from './plot'

interface Bars {
  days: readonly string[]
  series: readonly Series[]
  format(value: number): string
  colours: readonly string[]
  limit: number | null
}

const HEIGHT = 220

/** One stacked bar per day; the first series is at the bottom. */
export function drawBars(box: HTMLElement, { days, series, format, colours, limit }: Bars): () => void {
  const style = getComputedStyle(box)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const indexes = days.map((_, index) => index)
  const stacked = stack(series)
  const bars = uPlot.paths.bars!({ size: [0.62, 42], radius: 0.12 })
  const make = () => {
    const grid = { stroke: colour('--line'), width: 1 }
    const ink = colour('--ink-3')
    return new uPlot(
      {
        width: box.clientWidth,
        height: HEIGHT,
        padding: [10, 12, 0, 4],
        legend: { show: false },
        cursor: { y: false, points: { show: false } },
        scales: {
          x: { time: false, range: () => [-0.6, days.length - 0.4] },
          y: { range: (_, __, to) => [0, topOf(to, limit)] },
        },
        axes: [
          {
            stroke: ink,
            grid: { show: false },
            ticks: { show: false },
            font: `11px ${style.fontFamily}`,
            values: (_, splits) => splits.map(at => dayLabel(days[at])),
            incrs: [1, 2, 5, 7, 14, 30],
          },
          {
            stroke: ink,
            grid,
            ticks: { show: false },
            font: `11px ${style.fontFamily}`,
            size: 58,
            values: (_, splits) => splits.map(value => format(value)),
          },
        ],
        hooks: limit === null ? {} : { draw: [plot => drawLimit(plot, limit, colour('--danger-icon'))] },
        series: [
          {},
          // Drawn from the top of the stack down: each bar covers the lower part of the one before.
          ...[...stacked].reverse().map(({ name, index }) => ({
            label: name,
            fill: colour(colours[index % colours.length]!),
            stroke: 'transparent',
            width: 0,
            paths: bars,
            points: { show: false },
          })),
        ],
      },
      [indexes, ...[...stacked].reverse().map(({ values }) => values)],
      box,
    )
  }
  let plot = make()
  const observer = new ResizeObserver(() => plot.setSize({ width: box.clientWidth, height: HEIGHT }))
  observer.observe(box)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const redraw = () => {
    plot.destroy()
    plot = make()
  }
  scheme.addEventListener('change', redraw)
  // The theme that a person chose is an attribute of the document.
  const chosen = new MutationObserver(redraw)
  chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    observer.disconnect()
    scheme.removeEventListener('change', redraw)
    chosen.disconnect()
    plot.destroy()
  }
}

/**
 * A limit that is higher than this many times the tallest bar is not drawn, because the bars would
 * be too small.
 */
const LIMIT_REACH = 4

function topOf(tallest: number, limit: number | null): number {
  if (tallest <= 0) return limit ?? 1
  return 1.12 * (limit !== null && limit <= tallest * LIMIT_REACH ? Math.max(tallest, limit) : tallest)
}

/**
 * A dashed line across the bars, unless it is above the top of the plot; the legend names it in any
 * case.
 */
function drawLimit(plot: uPlot, limit: number, colour: string): void {
  const { left, top, width } = plot.bbox
  const y = Math.round(plot.valToPos(limit, 'y', true))
  if (y < top) return
  const { ctx } = plot
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio])
  ctx.beginPath()
  ctx.moveTo(left, y)
  ctx.lineTo(left + width, y)
  ctx.stroke()
  ctx.restore()
}

function stack(series: readonly Series[]): { name: string; index: number; values: number[] }[] {
  let below: number[] = []
  return series.map(({ name, values }, index) => {
    below = values.map((value, at) => value + (below[at] ?? 0))
    return { name, index, values: below }
  })
}

function dayLabel(day: string | undefined): string {
  if (!day) return ''
  return new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }).format(new Date(`${day}T00:00:00`))
}
