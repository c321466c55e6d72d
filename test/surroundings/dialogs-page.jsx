// A page with dialogs of many makers. A test bundles it and calls `openDialog`.
import { Modal as MantineModal, MantineProvider } from "@mantine/core";
import * as Radix from "@radix-ui/react-dialog";
import { createFocusTrap } from "focus-trap";
import Lenis from "lenis";
import { createRoot } from "react-dom/client";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Drawer } from "vaul";

const Content = () => (
  <>
    <label>
      Name <input id="field" autoFocus data-autofocus />
    </label>
    <button>Save</button>
    <div id="inside" />
  </>
);

const react = {
  "Radix": ({ onOpenChange }) => (
    <Radix.Root open onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay />
        <Radix.Content className="dialog" aria-describedby={undefined}>
          <Radix.Title>Radix</Radix.Title>
          <Content />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  ),
  "React Aria": ({ onOpenChange }) => (
    <ModalOverlay isOpen isDismissable onOpenChange={onOpenChange}>
      <Modal className="dialog">
        <Dialog>
          <Heading slot="title">React Aria</Heading>
          <Content />
        </Dialog>
      </Modal>
    </ModalOverlay>
  ),
  "Mantine": ({ onOpenChange }) => (
    <MantineProvider>
      <MantineModal
        opened
        onClose={() => onOpenChange(false)}
        transitionProps={{ duration: 0 }}
        classNames={{ content: "dialog" }}
      >
        <Content />
      </MantineModal>
    </MantineProvider>
  ),
  "Vaul": ({ onOpenChange }) => (
    <Drawer.Root open onOpenChange={onOpenChange}>
      <Drawer.Portal>
        <Drawer.Overlay />
        <Drawer.Content className="dialog" aria-describedby={undefined}>
          <Drawer.Title>Vaul</Drawer.Title>
          <Content />
        </Drawer.Content>
      </Drawer.Portal>
    </Drawer.Root>
  ),
};

/** A dialog without a library, and what its trap listens with: each kind that the libraries have, and some pages. */
function plainDialog() {
  const dialog = document.createElement("div");
  dialog.className = "dialog";
  dialog.innerHTML = `<label>Name <input id="field"></label> <button>Save</button> <div id="inside"></div>`;
  document.body.append(dialog);
  const field = dialog.querySelector("input");
  field.focus();
  return { dialog, field };
}
const isOutside = (dialog, { target }) => !(target instanceof Node && dialog.contains(target));

const plain = {
  "focus-trap"() {
    createFocusTrap(plainDialog().dialog, { delayInitialFocus: false }).activate();
  },
  /** As Headless UI and Angular do, before any listener at the document; with a scroll lock and no selecting. */
  "at the window"() {
    const { dialog, field } = plainDialog();
    const listen = (types, act, target = window) => {
      const options = { capture: true, passive: false };
      for (const type of types)
        target.addEventListener(type, (event) => isOutside(dialog, event) && act(event), options);
    };
    listen(["focus", "focusin"], () => field.focus());
    listen(["pointerdown", "mousedown", "touchstart", "click"], () => dialog.remove());
    listen(["wheel", "touchmove", "selectstart"], (event) => event.preventDefault());
    listen(["wheel", "touchmove", "selectstart"], (event) => event.preventDefault(), document);
  },
  "by focusout"() {
    const { dialog, field } = plainDialog();
    const check = () => dialog.contains(document.activeElement) || field.focus();
    const onEvent = ({ relatedTarget }) => dialog.contains(relatedTarget) || field.focus();
    dialog.addEventListener("focusout", onEvent);
    field.addEventListener("blur", onEvent);
    dialog.addEventListener("focusout", () => requestAnimationFrame(check));
    document.addEventListener("mouseup", (event) => isOutside(dialog, event) && dialog.remove());
    document.addEventListener("pointerdown", (event) => isOutside(dialog, event) && event.preventDefault());
  },
  "that makes all else inert"() {
    const { dialog } = plainDialog();
    for (let at = dialog; at.parentElement; at = at.parentElement)
      for (const other of at.parentElement.children)
        if (other !== at) Object.assign(other, { inert: true, ariaHidden: "true" });
  },
  "Lenis"() {
    plainDialog();
    new Lenis({ autoRaf: true, syncTouch: true }).stop();
  },
};

window.openDialog = (kind) => {
  if (plain[kind]) return plain[kind]();
  const Kind = react[kind];
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  root.render(<Kind onOpenChange={(isOpen) => isOpen || root.unmount()} />);
};
