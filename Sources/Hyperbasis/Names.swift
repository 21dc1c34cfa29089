import HyperbasisCore

// Foundation has a type of this name too; in this module it is the engine's.
package typealias Operation = HyperbasisCore.Operation
