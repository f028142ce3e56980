import AgentLink
import CommandSupport
import TrendyFoundation
import TrendyModels

struct NoticeText {
  private let local: LocalTime
  private let now: Date
  private let units: Units

  init(_ session: Session) {
    local = session.local
    now = session.now
    units = session.units
  }

  /// Returns a line such as `Fri 20 Nov 08:30  phone  trip ended  7.45 km`.
  func line(_ notice: CompanionNotice, from device: String) -> String {
    let year = local.components(of: now).year
    var parts = [local.dayAndTime(notice.at, year: year), device, notice.kind.replacing("_", with: " ")]
    if let metres = notice.data["distance_m"]?.doubleValue { parts.append(LiveText.distance(metres, units)) }
    if let active = notice.data["active"]?.boolValue { parts.append(active ? "trip running" : "no trip running") }
    if let hub = notice.data["hub_url"]?.stringValue { parts.append(hub) }
    return parts.filter { !$0.isEmpty }.joined(separator: "  ")
  }

  func plain(_ notice: CompanionNotice, from device: String) -> [String] {
    ["\(notice.sequence)", local.rfc3339(notice.at), device, notice.kind, notice.data["id"]?.stringValue ?? ""]
  }

  func json(_ notice: CompanionNotice, from device: String) -> JSONText {
    .object(notice.jsonMembers(from: device, in: local))
  }
}
