import AgentLink
import CommandSupport
import Foundation
import Synchronization
import TrendyAgent
import TrendyModels
import TrendyProtocols

/// Calls the user's hooks for events, trips and sync problems.
///
/// An event is reported if the user recorded it on any device after this agent started. Imports and events from the
/// first sync are not reported.
final class HookNews: Sendable {
  private struct State {
    /// Ids of events that have been reported.
    var known: Set<String> = []
    /// Previous sync status, or `nil` before the first sync.
    var sync: AgentStatus.Sync?
  }

  private static let most = 256

  let runner: HookRunner
  private let record: DeviceRecord
  private let began: Date
  private let state = Mutex(State())

  init(runner: HookRunner, record: DeviceRecord) {
    self.runner = runner
    self.record = record
    began = record.clock.now
  }

  /// Calls the hook for events recorded since the last check.
  func look() throws {
    guard runner.exists(.event) else { return }
    let store = record.makeStore()
    // A UUIDv7 contains its creation time. Skip events with other ids, because they were imported or detected.
    let last = try store.lastRecordedEvents(Self.most, from: [.manual])
      .filter { UUIDv7($0.id).map { $0.date >= began } ?? false }
    let new = state.withLock { state in
      defer { state.known.formUnion(last.map(\.id)) }
      return last.filter { !state.known.contains($0.id) }
    }
    for event in new.reversed() { runner.call(.event, [("event", try json(event, store))]) }
  }

  /// Calls the hook for a trip or visit on this device. `isWanted` is whether notifications are enabled for the place.
  func call(_ notice: LiveNotice, isWanted: Bool) {
    switch notice {
    case .tripStarted(let id, let place, let vehicle):
      runner.call(
        .trip,
        [("state", .string("started")), ("id", .string(id)), ("place", .string(place)), ("vehicle", .string(vehicle))])
    case .tripEnded(let id, let distance, let duration, let place):
      let store = record.makeStore()
      // If the store cannot be read, the hook is called without the event.
      let event = (try? store.findEvent(id: id)).flatMap { try? json($0, store) }
      runner.call(
        .trip,
        [
          ("state", .string("ended")), ("id", .string(id)), ("place", .string(place)),
          ("distance_m", .number(distance)),
          ("duration_s", .number(duration)), ("event", event ?? .null),
        ])
    case .noTrip(let id): runner.call(.trip, [("state", .string("cancelled")), ("id", .string(id))])
    case .entered(let place):
      runner.call(
        .visit, [("state", .string("entered")), ("place", .string(place)), ("notify", .bool(isWanted))])
    case .left(let place, let seconds):
      runner.call(
        .visit,
        [
          ("state", .string("left")), ("place", .string(place)), ("duration_s", .number(seconds)),
          ("notify", .bool(isWanted)),
        ])
    }
  }

  func call(_ notice: CompanionNotice, from device: String) {
    runner.call(.notice, notice.jsonMembers(from: device, in: LocalTime()))
  }

  func take(_ sync: AgentStatus.Sync?) {
    guard let sync else { return }
    let before = state.withLock { state in
      defer { state.sync = sync }
      return state.sync
    }
    // A problem that existed when the agent started is not reported.
    guard let before, before.error != sync.error else { return }
    runner.call(
      .syncProblem,
      [
        ("state", .string(sync.error == nil ? "solved" : "failing")), ("error", .string(sync.error)),
        ("hub", .string(sync.hub)), ("waiting", .number(sync.waiting)),
      ])
  }

  private func json(_ event: Event, _ store: any DataStoreProtocol) throws -> JSONText {
    event.json(
      typeName: try store.findEventType(id: event.eventTypeId)?.name,
      isRunning: try RunningEvent.all(in: store).contains { $0.event.id == event.id }, in: LocalTime())
  }
}
