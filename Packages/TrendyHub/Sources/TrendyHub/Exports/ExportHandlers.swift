import Foundation
import TrendyModels
import TrendyProtocols

struct ExportHandlers: Sendable {
  let records: HubRecords
  let readings: PostedTracks

  var routes: [HubRoute] {
    [
      HubRoute(
        .get, "export", name: "exportRecord",
        summary: "Exports the record, or the part with the given dates and type, as a file.",
        query: [
          .init(
            "form", .words(ExportRequest.Form.allCases.map(\.rawValue)),
            "events as CSV, JSON or iCalendar, fixes as GPX, or the whole record as Trendy NDJSON"),
          .init("from", .day, "first day; not for ndjson"),
          .init("to", .day, "last day; not for ndjson"),
          .init("event_type_id", .string, "only events of this type; for csv, json and ics"),
        ] + .days,
        answers: [
          .init(
            status: 200, meaning: "the file", body: .file(ExportRequest.Form.allCases.map(\.mediaType)))
        ], group: .snapshot, .device(export))
    ]
  }

  private func export(_ call: HubCall, _ sender: HubDevice) async throws -> HTTPResponse {
    let request = try ExportRequest(call)
    let export = RecordExport(request, of: sender.user, records: records, readings: readings)
    // An empty export results in 404, so read the first chunk before the response begins.
    let first = try await export.next() ?? Data()
    guard await export.holdsRecords else {
      throw Problem.notFound(
        request.form == .gpx ? "no fixes on this hub in that period" : "no events of that type in that period")
    }
    let pieces = PeekedExportStream(first, export)
    return HTTPResponse(
      type: request.form.mediaType, .stream(HTTPBodyStream { try await pieces.next() }),
      [("Content-Disposition", "attachment; filename=\"\(request.fileName(now: records.clock.now))\"")])
  }
}

private actor PeekedExportStream {
  private var first: Data?
  private let export: RecordExport

  init(_ first: Data, _ export: RecordExport) {
    self.first = first
    self.export = export
  }

  func next() async throws -> Data? {
    if let piece = first {
      first = nil
      return piece
    }
    return try await export.next()
  }
}
