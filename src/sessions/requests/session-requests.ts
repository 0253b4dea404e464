import type { MenuPort } from './apply-menu.js'
import { DecisionDelivery, type DecisionDeliveryOptions } from './decision-delivery.js'
import { OpenRequests, type OpenRequestsOptions } from './open-requests.js'
import { ReportedRequests } from './reported-requests.js'
import { ScreenRequests } from './screen-requests.js'

interface SessionRequestsOptions extends OpenRequestsOptions, Omit<DecisionDeliveryOptions, 'open'> {
  menu: MenuPort
}

/** The requests of one session: its parts, built around the one set of open requests. */
export class SessionRequests {
  readonly open: OpenRequests
  readonly delivery: DecisionDelivery
  readonly reported: ReportedRequests
  readonly screen: ScreenRequests

  constructor(options: SessionRequestsOptions) {
    this.open = new OpenRequests(options, shown => this.screen.requestsChanged(shown))
    this.delivery = new DecisionDelivery({ ...options, open: this.open })
    this.reported = new ReportedRequests(this.open, this.delivery)
    this.screen = new ScreenRequests({ ...options, open: this.open, delivery: this.delivery })
  }
}
