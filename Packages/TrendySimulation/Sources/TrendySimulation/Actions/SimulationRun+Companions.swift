import Foundation
import TrendyAgent
import TrendyHub
import TrendyModels
import TrendyPersistence
import TrendyProtocols

/// Notices sent to companions. Each companion must receive every notice once and in order.
struct CompanionLedger {
  struct Way: Hashable, Comparable {
    var tracker: Int
    var companion: Int

    static func < (a: Way, b: Way) -> Bool { (a.tracker, a.companion) < (b.tracker, b.companion) }
  }

  private struct Told {
    var text: String
    /// Whether the sender's save was acknowledged.
    var isSure: Bool
  }

  private var told: [Way: [Told]] = [:]

  /// Records a notice sent over the companion links `ways`.
  mutating func onTold(_ text: String, over ways: [Way], isSure: Bool) {
    for way in ways { told[way, default: []].append(Told(text: text, isSure: isSure)) }
  }

  /// Returns a description of the first error in the notices that a companion received from a device, or `nil`. With
  /// `isAll`, no notices can be in transit any more.
  func fault(in received: [String], over way: Way, isAll: Bool) -> String? {
    let names = "\(deviceName(way.companion)), companion of \(deviceName(way.tracker)),"
    var rest = (told[way] ?? [])[...]
    for text in received {
      while let next = rest.first, next.text != text, !next.isSure { rest.removeFirst() }
      guard rest.first?.text == text else {
        return "\(names) took \(text) where \(rest.first?.text ?? "nothing") comes next"
      }
      rest.removeFirst()
    }
    guard isAll, let missing = rest.first(where: \.isSure) else { return nil }
    return "\(names) never received \(missing.text)"
  }
}

// MARK: Companion notices
extension SimulationRun {
  /// Performs an action. Returns whether it was possible.
  func carryOutCompanion(_ action: Action, begin: (SimulatedDevice) -> Void) async -> Bool {
    guard server == nil else { return false }
    switch action {
    case .makeCompanion(let companion, let tracker):
      let client = InProcessClient(token: hub.tokens[tracker], server: hub.nextServer())
      // Without power or space the hub creates no link, so no notices are sent.
      return (try? await client.makeCompanion(deviceId: hub.deviceIds[companion])) != nil
    case .tell(let number, let text): return tellCompanions(of: devices[number], "n\(text)")
    case .carry(let number):
      let device = devices[number]
      guard device.process != nil, !device.carries else { return false }
      device.carries = true
      begin(device)
      return true
    case .companionNetwork(let number, let fault, let requests):
      companionWires[number].planned.append(SimulatedLink.Planned(fault: fault, afterRequests: requests))
      return true
    case .crashCompanionStore(let number, let change, let loss):
      devices[number].losePower(beforeCompanionChange: change, loss: loss)
      return true
    default: return false
    }
  }

  private func tellCompanions(of device: SimulatedDevice, _ text: String) -> Bool {
    guard let store = device.process?.companions, let ways = try? ways(from: device, in: store) else { return false }
    do {
      let isTold = try store.tell(
        [
          CompanionStore.Draft(
            kind: Self.noticeKind, data: ["text": .string(text), "from": .int(Int64(device.number))])
        ],
        at: device.clock.now)
      if isTold { companionLedger.onTold(text, over: ways, isSure: true) }
      return isTold
    } catch {
      // After a power failure the notice may or may not be durable.
      companionLedger.onTold(text, over: ways, isSure: false)
      return true
    }
  }

  private static let noticeKind = "note"

  private func ways(from device: SimulatedDevice, in store: CompanionStore) throws -> [CompanionLedger.Way] {
    try store.links().filter { $0.role == .tracker }.compactMap { link in
      hub.deviceIds.firstIndex(of: link.peerId).map { CompanionLedger.Way(tracker: device.number, companion: $0) }
    }
  }

  /// Transfers notices once, with the planned faults.
  func carry(_ device: SimulatedDevice) async {
    defer { device.carries = false }
    guard let process = device.process else { return }
    do {
      _ = try await process.courier.round()
      tell("  \(device.name) transferred notices")
    } catch is APIError {
      // The notices are transferred again later.
    } catch {
      guard device.process?.courier === process.courier, !device.isOff else { return }
      ledger.report(.noticesArriveOnce, "\(device.name) cannot transfer notices: \(error)")
    }
    if device.process?.courier === process.courier { checkReceived(device, isAll: false) }
  }

  private func checkReceived(_ device: SimulatedDevice, isAll: Bool) {
    guard let process = device.process, !device.isOff else { return }
    do {
      let received = try process.companions.received(limit: .max).map(\.notice).filter { $0.kind == Self.noticeKind }
      for tracker in devices.indices {
        let texts = received.filter { $0.data["from"]?.intValue == Int64(tracker) }
          .compactMap { $0.data["text"]?.stringValue }
        let way = CompanionLedger.Way(tracker: tracker, companion: device.number)
        if let fault = companionLedger.fault(in: texts, over: way, isAll: isAll) {
          ledger.report(.noticesArriveOnce, fault)
        }
      }
    } catch {
      ledger.report(.savedDataIsDurable, "\(device.name)'s companion store cannot be read: \(error)")
    }
  }

  /// Transfers notices until all are delivered and acknowledged, and checks them.
  func checkCompanionsAtRest() async {
    guard server == nil, world.hazards.contains(.companions) else { return }
    for _ in 0..<3 { for device in devices { await carry(device) } }
    for device in devices {
      checkReceived(device, isAll: true)
      guard let store = device.process?.companions else { continue }
      do {
        for link in try store.links() where link.role == .tracker {
          let waiting = try store.waitingCount(for: link.id)
          if waiting > 0 {
            ledger.report(.noticesArriveOnce, "\(device.name) has \(waiting) undelivered notices for \(link.peerName)")
          }
        }
      } catch {
        ledger.report(.savedDataIsDurable, "\(device.name)'s companion store cannot be read: \(error)")
      }
    }
  }
}
