import TrendyAgent
import Foundation
import TrendyHub
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

extension IngestRequest {
  /// Parses posted readings, or the trip command from a webhook.
  ///
  /// - Throws: A `Problem` if the request is malformed.
  fileprivate func read(at now: Date) throws -> (batch: DeviceBatch, calls: [TripCommand]) {
    let bytes = [UInt8](body)
    do {
      switch form {
      case .ownTracks: return (try DeviceRequest.ownTracks(query: query, body: bytes), [])
      case .overland: return (try DeviceRequest.overland(body: bytes), [])
      case .gpsLogger: return (try DeviceRequest.gpsLogger(query: query, body: bytes), [])
      case .osmAnd: return (try DeviceRequest.osmAnd(query: query, body: bytes, receivedAt: now), [])
      case .webhook(let webhook):
        let (batch, time) = try DeviceRequest.call(query: query, body: bytes, receivedAt: now)
        guard let time else {
          throw Problem(
            "invalid", status: 400, title: "Invalid call",
            detail: "time: expected seconds since 1970 or a date such as 2026-11-20T08:30:00Z")
        }
        guard let kind = TripCommand.Kind(rawValue: webhook.rawValue) else { return (batch, []) }
        return (batch, [TripCommand(kind: kind, timestamp: time)])
      }
    } catch let error as InterchangeError {
      throw Problem("invalid", status: 400, title: "Invalid document", detail: "\(error)")
    }
  }

  private var isWebhook: Bool { if case .webhook = form { true } else { false } }

  /// Stores the readings posted by a device.
  ///
  /// OwnTracks (Android and iOS), Overland, GPSLogger and Traccar's client discard data after a 2xx response and
  /// otherwise retry.
  ///
  /// - Throws: A `Problem` with status 422 if nothing in a valid request can be stored, so the sender keeps its data.
  func take(into intake: IntakeQueue, sender: String, at now: Date) async throws -> IngestResponse {
    let (batch, calls) = try read(at: now)
    // A hub's token belongs to one device, whatever name the device's app sends. An agent's token is shared by all
    // devices.
    let device = sender.isEmpty ? batch.device ?? "" : sender
    var answer = IngestResponse()
    if form != .webhook(.status) {
      let taken = try await intake.run { try $0.takePost(batch, calls: calls, device: device) }
      if let reason = taken.refusal {
        throw Problem("not_kept", status: 422, title: "Not stored", detail: reason)
      }
      answer.added = taken.added
      answer.known = taken.known
      answer.problems = taken.problems
      answer.problemCount = taken.problemCount
      answer.isRecordChanged = taken.isRecordChanged
      answer.delay = taken.delay
    }
    if isWebhook {
      answer.trip = try await intake.run { try $0.openTrip(device: device) }.map { Self.json($0, now: now) }
    }
    return answer
  }

  private static func json(_ record: TripRecord, now: Date) -> JSONValue {
    [
      "id": .string(record.trip.id), "start": .string(RFC3339.string(from: record.trip.startTime)),
      "distance_m": .double((record.trip.distanceMeters * 10).rounded() / 10),
      "duration_s": .double(max(0, now.timeIntervalSince(record.trip.startTime)).rounded()),
    ]
  }
}
