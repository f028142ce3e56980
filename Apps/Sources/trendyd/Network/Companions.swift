import TrendyAgent
import CommandSupport
import NetworkContainer
import TrendyModels

/// The network part of `trendy companion pair`, `follow`, `list` and `rm`.
struct Companions {
  let network: NetworkContainer
  let account: Account
  let console: Console

  func run(_ words: [String]) async throws -> ExitCode {
    let desk = try CompanionService(network: network, account: account)
    switch (words.first, words.dropFirst().first) {
    case ("pair", let name?):
      let device = try await desk.device(named: name)
      try await desk.pair(device)
      console.done("\(device.name) receives trip notices from this device.")
      console.done("Both devices need a running agent: trendyd run")
      if console.isJSON { console.document("trendy.companion/1", [("device", .string(device.name))]) }
      return .done
    case ("follow", let name?):
      let device = try await desk.device(named: name)
      try await desk.follow(device)
      console.done("This device receives trip notices from \(device.name).")
      console.done("This device needs a running agent: trendyd run. \(device.name) only needs to post to the hub.")
      if console.isJSON { console.document("trendy.companion/1", [("device", .string(device.name))]) }
      return .done
    case ("rm", let name?):
      let count = try await desk.remove(deviceNamed: name)
      console.done("Trip notices between this device and \(name) have been stopped.")
      if console.isJSON { console.document("trendy.companion/1", [("ended", .number(count))]) }
      return .done
    case ("list", nil): return try await list(desk)
    default: throw NetworkCommands.unknown
    }
  }

  private func list(_ desk: CompanionService) async throws -> ExitCode {
    let (devices, companions) = try await desk.list()
    func relation(_ device: APIDevice) -> String {
      let isTold = companions.contains { $0.companionId == device.id && !$0.isRemoved }
      let tells = companions.contains { $0.trackerId == device.id && !$0.isRemoved }
      if device.isCurrent { return "this device" }
      return [isTold ? "receives notices from this device" : nil, tells ? "sends notices to this device" : nil]
        .compactMap(\.self)
        .joined(separator: ", ")
    }
    switch console.format {
    case .json, .ndjson:
      console.document(
        "trendy.devices/1",
        [
          (
            "devices",
            .array(
              devices.map { device in
                .object([
                  ("id", .string(device.id)), ("name", .string(device.name)), ("current", .bool(device.isCurrent)),
                  (
                    "is_told",
                    .bool(companions.contains { $0.companionId == device.id && !$0.isRemoved && !device.isCurrent })
                  ),
                  (
                    "tells",
                    .bool(companions.contains { $0.trackerId == device.id && !$0.isRemoved && !device.isCurrent })
                  ),
                ])
              })
          )
        ])
    case .plain: for device in devices { console.row([device.id, device.name, relation(device)]) }
    case .text:
      for device in devices { console.text("\(device.name)  \(relation(device))") }
    }
    return .done
  }
}
