import Foundation
import Testing
import TrendyModels
import TrendyProtocols
import TrendyTrips

@Suite("MotionActivityHandler", .timeLimit(.minutes(10)))
struct MotionActivityHandlerTests {
  final class Listener: MotionActivityHandlerDelegate {
    var calls: [String] = []

    func motionHandler(_ handler: any MotionActivityHandlerProtocol, didDetectAutomotive isAutomotive: Bool) {
      calls.append("detected \(isAutomotive)")
    }

    func motionHandler(_ handler: any MotionActivityHandlerProtocol, didConfirmAutomotive isAutomotive: Bool) {
      calls.append("confirmed \(isAutomotive)")
    }

    func motionHandler(_ handler: any MotionActivityHandlerProtocol, didChangeState state: MotionState) {
      calls.append("\(state)")
    }

    func take() -> [String] {
      defer { calls = [] }
      return calls
    }
  }

  let handler = MotionActivityHandler()
  let listener = Listener()

  init() {
    handler.delegate = listener
    handler.setupMotionManager()
    handler.startActivityUpdates()
  }

  @Test("driving is detected immediately and confirmed after two seconds", arguments: [(1.9, false), (2.0, true)])
  func confirms(seconds: Double, isConfirmed: Bool) {
    handler.receive(motion(.automotive, 0))
    #expect(listener.take() == ["detected true", "automotive"])
    #expect(handler.isAutomotive)
    handler.tick(at: at(seconds))
    #expect(listener.take() == (isConfirmed ? ["confirmed true"] : []))
    handler.tick(at: at(100))
    #expect(listener.take() == (isConfirmed ? [] : ["confirmed true"]))
  }

  @Test("the end of driving is confirmed after three seconds", arguments: [(2.9, false), (3.0, true)])
  func confirmsEnd(seconds: Double, isConfirmed: Bool) {
    handler.receive(motion(.automotive, 0))
    handler.tick(at: at(10))
    handler.receive(motion(.walking, 20))
    _ = listener.take()
    // A change from one state to another does not restart the debounce if neither state is driving.
    handler.receive(motion(.stationary, 21))
    #expect(listener.take() == ["stationary"])
    handler.tick(at: at(20 + seconds))
    #expect(listener.take() == (isConfirmed ? ["confirmed false"] : []))
  }

  @Test func `a reading confirms an earlier change`() {
    handler.receive(motion(.automotive, 0))
    _ = listener.take()
    handler.receive(motion(.stationary, 60))
    #expect(listener.take() == ["confirmed true", "detected false", "stationary"])
  }

  @Test func `a short change is detected but not confirmed`() {
    handler.receive(motion(.automotive, 0))
    handler.receive(motion(.stationary, 1))
    handler.tick(at: at(100))
    #expect(listener.take() == ["detected true", "automotive", "detected false", "stationary"])
  }

  @Test func `weak, unknown and late readings are ignored`() {
    handler.receive(motion(.automotive, 10, .low))
    handler.receive(motion(.unknown, 11))
    #expect(listener.take() == [])
    handler.receive(motion(.automotive, 20))
    handler.receive(motion(.stationary, 15))
    #expect(handler.isAutomotive)
    handler.minimumConfidence = .low
    handler.receive(motion(.walking, 21, .low))
    #expect(handler.currentState == .walking)
  }

  @Test func `the debounce times are configurable`() {
    handler.automotiveDebounceSeconds = 0
    handler.receive(motion(.automotive, 0))
    #expect(listener.take() == ["detected true", "confirmed true", "automotive"])
    handler.nonAutomotiveDebounceSeconds = 10
    handler.receive(motion(.stationary, 5))
    handler.tick(at: at(14))
    #expect(!listener.take().contains("confirmed false"))
  }

  @Test func `an unconfirmed change can be discarded`() {
    handler.receive(motion(.automotive, 0))
    handler.cancelPendingDebounce()
    handler.tick(at: at(100))
    #expect(listener.take() == ["detected true", "automotive"])
  }

  @Test func `nothing is reported while updates are stopped`() {
    handler.receive(motion(.automotive, 0))
    _ = listener.take()
    handler.stopActivityUpdates()
    handler.receive(motion(.stationary, 1))
    handler.tick(at: at(100))
    #expect(listener.take() == [])
    handler.startActivityUpdates()
    handler.tick(at: at(200))
    #expect(listener.take() == [])
  }
}
